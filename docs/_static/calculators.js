"use strict";
// Calculators of the page "Calculators": the numbers of the package, in the browser.

// Special functions --------------------------------------------------------------------------------

const LANCZOS = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7];

function logGamma(x) {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const t = x + 6.5;
  const sum = LANCZOS.reduce((total, c, i) => i ? total + c / (x - 1 + i) : c, 0);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

// Continued fraction b0 + a1 / (b1 + a2 / ...) by Lentz's method; `term(i)` gives [a, b].
function fraction(b0, term) {
  const tiny = 1e-300;
  let value = b0 || tiny, c = value, d = 0;
  for (let i = 1; i < 10000; i++) {
    const [a, b] = term(i);
    d = 1 / (b + a * d || tiny);
    c = b + a / c || tiny;
    value *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return value;
}

// Regularized incomplete beta function.
function betaInc(a, b, x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaInc(b, a, 1 - x);
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) +
    logGamma(a + b) - logGamma(a) - logGamma(b)) / a;
  return front / fraction(1, (i) => {
    const m = i >> 1;
    const part = i % 2 ? -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1)) :
      m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m));
    return [part * x, 1];
  });
}

// Regularized lower incomplete gamma function.
function gammaInc(a, x) {
  if (x <= 0) return 0;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a, sum = term;
    for (let n = a + 1; term > sum * 1e-16; n++) sum += term *= x / n;
    return front * sum;
  }
  return 1 - front / fraction(x + 1 - a, (i) => [i * (a - i), x + 2 * i + 1 - a]);
}

const normal = (z) => z < 0 ? 1 - normal(-z) : 0.5 + 0.5 * gammaInc(0.5, z * z / 2);

// Student's t.
function student(t, freedom) {
  const tail = 0.5 * betaInc(freedom / 2, 0.5, freedom / (freedom + t * t));
  return t > 0 ? 1 - tail : tail;
}

// The x at which a function that rises from `low` to `high` reaches a value.
function solve(rising, value, low, high) {
  for (let i = 0; i < 200 && high - low > 1e-15 * Math.abs(low + high); i++) {
    const middle = (low + high) / 2;
    if (rising(middle) < value) low = middle; else high = middle;
  }
  return (low + high) / 2;
}

const studentQuantile = (share, freedom) => share < 0.5 ? -studentQuantile(1 - share, freedom) :
  solve((t) => student(t, freedom), share, 0, 1e9);

const normalQuantile = (share) => share < 0.5 ? -normalQuantile(1 - share) :
  solve(normal, share, 0, 40);

// Calculators --------------------------------------------------------------------------------------

// Exact interval of a share of queries, such as a hit rate (Clopper and Pearson).
function hitRateInterval(hits, n, level) {
  const tail = (1 - level) / 2;
  return [
    hits === 0 ? 0 : solve((x) => betaInc(hits, n - hits + 1, x), tail, 0, 1),
    hits === n ? 1 : solve((x) => betaInc(hits + 1, n - hits, x), 1 - tail, 0, 1),
  ];
}

// Interval of a mean by the standard deviation of its values (Student's t).
function meanInterval(mean, sd, n, level) {
  const reach = studentQuantile((1 + level) / 2, n - 1) * sd / Math.sqrt(n);
  return [mean - reach, mean + reach];
}

// Drop from which a two-sided paired test is significant, within two limits, and its deviation.
function limitOf(error, freedom, alpha, least, most) {
  const t = studentQuantile(1 - alpha / 2, freedom);
  const limit = t * (1 - 1 / (4 * freedom)) * error;
  if (least < limit && limit < most) return [limit, error * Math.sqrt(1 + t * t / (2 * freedom))];
  return [Math.min(Math.max(limit, least), Math.max(least, most)), error];
}

// Least true drop that a test of n queries finds with this power.
function detectableDrop(n, sd, alpha, power) {
  const [limit, deviation] = limitOf(sd / Math.sqrt(n), n - 1, alpha, 0, Infinity);
  return limit + normalQuantile(power) * deviation;
}

// Least number of queries with which a true drop is found.
function queriesNeeded(drop, sd, alpha, power) {
  const isEnough = (n) => detectableDrop(n, sd, alpha, power) <= drop;
  let enough = 2;
  while (!isEnough(enough)) enough *= 2;
  let few = Math.max(Math.floor(enough / 2), 1);
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (isEnough(middle)) enough = middle; else few = middle;
  }
  return enough;
}

// How often a gate with one measure fails although both systems are equally good.
function falseAlarmRate(n, sd, maxDrop, hardDrop, alpha) {
  const [limit, deviation] = limitOf(sd / Math.sqrt(n), n - 1, alpha, maxDrop, hardDrop);
  return normal(-limit / deviation);
}

const CALCULATORS = {
  "hit-rate": ({ hits, n, level }) => {
    if (hits > n) return "There cannot be more hits than queries.";
    const [low, high] = hitRateInterval(hits, n, level / 100);
    return `Hit rate ${(hits / n).toFixed(3)}, between ${low.toFixed(3)} and ${high.toFixed(3)}`;
  },
  mean: ({ mean, sd, n, level }) => {
    const [low, high] = meanInterval(mean, sd, n, level / 100);
    return `Between ${low.toFixed(3)} and ${high.toFixed(3)}`;
  },
  queries: ({ drop, sd, alpha, power }) =>
    power <= alpha * 100 ? "The power must exceed alpha." :
      `${queriesNeeded(drop, sd, alpha, power / 100).toLocaleString("en")} queries`,
  "false-alarms": ({ n, sd, max_drop, hard_drop, alpha }) =>
    `${(100 * falseAlarmRate(n, sd, max_drop, hard_drop, alpha)).toFixed(1)}% of runs of an unchanged system fail`,
};

for (const form of document.querySelectorAll("form[data-calculator]")) {
  const show = () => {
    const answer = form.querySelector("output");
    const values = Object.fromEntries([...form.elements].filter((field) => field.name)
      .map((field) => [field.name, field.valueAsNumber]));
    answer.textContent = form.checkValidity() ? CALCULATORS[form.dataset.calculator](values) :
      "Enter a number within the range of each field.";
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}
