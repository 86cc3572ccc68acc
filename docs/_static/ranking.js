"use strict";
// Ranking calculator: drag results, change grades, and see the measures follow.

// Formulas, each of one query with the default parameters -------------------------------------------

// A query: `grades` of the ranking (null is unjudged), `lost` grades of items that were not retrieved.
function judged(grades, lost, k) {
  const complete = ![...grades, ...lost].includes(0); // no item is judged irrelevant
  if (complete) grades = grades.map((grade) => grade ?? 0);
  const relevant = grades.map((grade) => grade > 0);
  const all = [...grades, ...lost].filter((grade) => grade > 0).sort((a, b) => b - a);
  const hits = [], above = [];
  let found = 0, irrelevant = 0;
  relevant.forEach((is, place) => {
    found += is;
    if (is) above.push(irrelevant); else irrelevant += 1;
    hits.push(found);
  });
  const n = grades.length, size = k === Infinity ? n : k;
  return { grades, lost, relevant, all, hits, above, R: all.length, N: irrelevant, n, size,
    complete };
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const within = (q, k) => q.hits[Math.min(k, q.n) - 1] || 0;
const dcg = (grades, k) =>
  sum(grades.slice(0, k).map((grade, i) => (2 ** (grade || 0) - 1) / Math.log2(i + 2)));
const err = (grades, top, k) => {
  let reached = 1;
  return sum(grades.slice(0, k).map((grade, i) => {
    const stop = (2 ** (grade || 0) - 1) / 2 ** top;
    const part = reached * stop / (i + 1);
    reached *= 1 - stop;
    return part;
  }));
};
const averagePrecision = (q, k, of) =>
  sum(q.relevant.slice(0, k).map((is, i) => is * q.hits[i] / (i + 1))) / of;
const pairs = (q) => sum(q.above.map((above) => q.N - above)) / (q.R * q.N);
const harmonic = (x, y) => x + y > 0 ? 2 * x * y / (x + y) : 0;

const FORMULAS = {
  all_hit_rate: (q, k) => +(within(q, k) === q.R),
  auc: pairs,
  bpref: (q) => {
    const zeros = q.grades.concat(q.lost).filter((grade) => grade === 0).length;
    const denied = q.complete ? Math.max(zeros, q.R) : zeros;
    let below = 0, total = 0;
    for (const grade of q.grades) {
      if (grade > 0) total += below ? 1 - Math.min(below, q.R) / Math.min(denied, q.R) : 1;
      else if (grade === 0) below += 1;
    }
    return total / q.R;
  },
  dcg: (q, k) => dcg(q.grades, k),
  err: (q, k) => err(q.grades, q.all[0], k),
  fbeta: (q, k) => harmonic(within(q, k) / q.size, within(q, k) / q.R),
  gauc: pairs,
  hit_rate: (q, k) => +(within(q, k) > 0),
  hmean: (q, k) => harmonic(FORMULAS.ndcg(q, k), FORMULAS.map(q, k)),
  idcg: (q, k) => dcg(q.all, k),
  iprec: (q) => sum([...Array(11).keys()].map((level) => {
    const needed = Math.floor(level * q.R / 10 + 0.5);
    return Math.max(0, ...q.hits.map((found, i) => found >= needed ? found / (i + 1) : 0));
  })) / 11,
  judged: (q, k) =>
    q.grades.slice(0, k).filter((grade) => grade !== null).length / Math.min(k, q.n),
  lag: (q) => (sum(q.above) + (q.R - q.above.length) * q.N) / q.R,
  lauc: (q, k) =>
    sum(q.above.slice(0, within(q, k)).map((above) => 1 - above / q.N)) / Math.min(q.R, k),
  map: (q, k) => averagePrecision(q, k, Math.min(q.R, k)),
  mar: (q, k) =>
    sum(q.relevant.slice(0, k).map((is, i) => is * q.hits[i] / q.R)) / Math.min(q.R, k),
  mrr: (q, k) => {
    const first = q.relevant.slice(0, k).indexOf(true);
    return first < 0 ? 0 : 1 / (first + 1);
  },
  ndcg: (q, k) => dcg(q.grades, k) / dcg(q.all, k),
  nerr: (q, k) => err(q.grades, q.all[0], k) / err(q.all, q.all[0], k),
  precision: (q, k) => within(q, k) / q.size,
  rbp: (q, k) => 0.2 * sum(q.relevant.slice(0, k).map((is, i) => is * 0.8 ** i)),
  recall: (q, k) => within(q, k) / q.R,
  rprec: (q) => within(q, q.R) / q.R,
  set_map: (q, k) => within(q, k) ** 2 / (q.size * q.R),
  zero_results: (q) => +!q.grades.length,
  false_answers: (q) => (q.R ? NaN : +!!q.grades.length),
  unjudged: (q, k) => q.grades.slice(0, k).filter((grade) => grade === null).length,
};

// "ndcg@5" of grades in ranked order; without a cutoff, the whole ranking is read.
function valueOf(measure, grades, lost) {
  const [, name, cutoff] = /^(\w+)(?:\([^)]*\))?(?:@(\d+))?$/.exec(measure);
  const k = +cutoff || Infinity, q = judged(grades, lost, k);
  if (!q.R && !["judged", "unjudged", "idcg", "zero_results", "false_answers"].includes(name)) return NaN;
  return FORMULAS[name](q, k);
}

// The box -----------------------------------------------------------------------------------------

const GRADES = [0, 1, 2, 3, null];
const NAMES = "abcdefghij";

function python(items, retrieved, measures) {
  const grades = items.filter(([, grade]) => grade !== null);
  const text = ([name, grade]) => `"${name}": ${grade}`;
  const names = items.slice(0, retrieved).map(([name]) => `"${name}"`);
  const list = measures.map((measure) => `"${measure}"`);
  return `grades = {${[...grades].sort().map(text).join(", ")}}\n` +
    `ranking = [${names.join(", ")}]\nevaluate([grades], [ranking], [${list.join(", ")}])`;
}

const bar = (value) => value <= 1 ? `<i><b style="width: ${100 * value}%"></b></i>` : "<span></span>";

function start(box) {
  const measures = box.dataset.measures.split(" "), retrieved = 7;
  const items = [3, 0, 2, null, 0, 1, 0, 0, 1].map((grade, i) => [NAMES[i], grade]);
  box.innerHTML = `<p>Drag a result, or move it with the arrow keys; click it to change its grade (? is
    unjudged).</p>
    <ol class="results"></ol><dl></dl><pre></pre>`;
  const [list, values, code] = box.querySelectorAll("ol, dl, pre");
  const move = (from, to, focus) => {
    if (to < 0 || to >= items.length) return;
    items.splice(to, 0, ...items.splice(from, 1));
    draw(focus ? to : undefined);
  };
  function draw(focused) {
    list.replaceChildren(...items.map(([name, grade], place) => {
      const entry = document.createElement("li");
      const button = document.createElement("button");
      const rank = place < retrieved ? `rank ${place + 1}` : "not found";
      entry.className = place < retrieved ? "" : "lost";
      button.type = "button";
      button.draggable = true;
      button.dataset.grade = grade ?? "?";
      const spoken = '<span class="visually-hidden"> grade </span>';
      button.innerHTML = `<span>${name}</span><strong>${spoken}${grade ?? "?"}</strong> <small>${rank}</small>`;
      button.onclick = () => {
        items[place][1] = GRADES[(GRADES.indexOf(grade) + 1) % GRADES.length];
        draw(place);
      };
      button.onkeydown = (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step) { event.preventDefault(); move(place, place + step, true); }
      };
      button.ondragstart = (event) => event.dataTransfer.setData("text/plain", place);
      entry.ondragover = (event) => event.preventDefault();
      entry.ondrop = (event) => {
        event.preventDefault();
        move(+event.dataTransfer.getData("text/plain"), place);
      };
      entry.append(button);
      return entry;
    }));
    const grades = items.map(([, grade]) => grade);
    const all = measures.map((measure) =>
      [measure, valueOf(measure, grades.slice(0, retrieved), grades.slice(retrieved))]);
    values.innerHTML = all.map(([measure, value]) =>
      `<div><dt>${measure}</dt><dd>${bar(value)}` +
      `<span>${Number.isFinite(value) ? value.toFixed(4) : "undefined"}</span></dd></div>`).join("");
    code.textContent = python(items, retrieved, measures);
    if (focused !== undefined) list.children[focused].firstChild.focus();
  }
  draw();
}

for (const box of document.querySelectorAll(".ranking-calculator")) start(box);
