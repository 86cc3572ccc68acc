"use strict";
// Tables are complete without this script; it sorts them, and lets the queries be searched.

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const fixed = (value, signed) => value === null ? "" :
  (signed && value >= 0 ? "+" : "") + value.toFixed(3);
const count = (n) => n.toLocaleString("en");

// Sorting ------------------------------------------------------------------------------------------

// Gives every title of a table a button; `sort(column, direction)` puts the rows in order.
function makeSortable(table, sort) {
  let [current, direction] = [-1, 1];
  const titles = [...table.tHead.rows[0].cells];
  const show = () => titles.forEach((title, place) => {
    if (place === current) {
      title.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    } else title.removeAttribute("aria-sort");
  });
  titles.forEach((title, place) => {
    const button = element("button", { type: "button" }, ...title.childNodes);
    title.replaceChildren(button);
    button.addEventListener("click", () => {
      direction = place === current ? -direction : title.className ? -1 : 1;
      current = place;
      show();
      sort(place, direction);
    });
  });
}

// Numbers before texts, and what is missing last, whatever the direction.
function compareKeys(a, b, direction) {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return direction * (a - b);
  return direction * collator.compare(a, b);
}
const collator = new Intl.Collator("en", { numeric: true });

function keyOf(cell) {
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  return cell.textContent.trim() || null;
}

for (const table of document.querySelectorAll("table[data-sortable]")) {
  const body = table.tBodies[0];
  makeSortable(table, (place, direction) => {
    const rows = [...body.rows].map((row) => [keyOf(row.cells[place]), row]);
    rows.sort((a, b) => compareKeys(a[0], b[0], direction));
    body.append(...rows.map((pair) => pair[1]));
  });
}

// Queries ------------------------------------------------------------------------------------------

const TOP = 10;

class Explorer {
  constructor(place) {
    this.data = JSON.parse(place.querySelector("script").textContent);
    this.prefix = place.dataset.queries; // of links to its queries
    this.page = this.prefix ? 10 : 50; // a page of several gates shows fewer of each
    this.shown = this.page;
    this.sorting = null; // largest change first, or lowest value
    this.pinned = null; // the query of a link, which comes first
    this.haystack = null;
    place.replaceChildren(this.controls(), this.scrolled(), this.status, this.more);
    [this.measure.value] = [this.data.measure];
    const [slice, which] = this.data.show;
    this.choose({ slice, which });
  }

  controls() {
    const { systems, measures, slices } = this.data;
    const select = (label, options) => {
      const field = element("select", {}, ...options.map(([value, text]) =>
        element("option", { value }, text)));
      field.addEventListener("change", () => this.restart());
      return [field, element("label", {}, label, field)];
    };
    const numbered = (names, from = 0) => names.map((name, place) => [place, name]).slice(from);
    let label;
    const fields = element("div", { class: "controls" });
    [this.measure, label] = select("Measure", numbered(measures));
    if (measures.length > 1) fields.append(label);
    [this.system, label] = select("System", numbered(systems, Math.min(1, systems.length - 1)));
    if (systems.length > 2) fields.append(label);
    [this.slice, label] = select("Slice", [["", "all"], ...numbered(slices)]);
    if (slices.length) fields.append(label);
    [this.which, label] = select("Queries", [["all", "all"], ["worse", "worse"],
      ["better", "better"], ["same", "unchanged"]]);
    if (systems.length > 1) fields.append(label);
    this.search = element("input", { type: "search", autocomplete: "off" });
    this.search.addEventListener("input", () => this.restart());
    fields.append(element("label", { class: "wide" }, "Search in queries and items", this.search));
    return fields;
  }

  // Sets the filters by names, as a link to some queries does.
  choose({ slice, group, which }) {
    const { slices, systems, measures } = this.data;
    this.slice.value = slices.includes(slice) ? slices.indexOf(slice) : "";
    if (systems.includes(group, 1)) this.system.value = systems.indexOf(group, 1);
    if (measures.includes(group)) this.measure.value = measures.indexOf(group);
    this.which.value = systems.length > 1 ? which : "all";
    this.search.value = "";
    this.restart();
  }

  scrolled() {
    const { systems } = this.data;
    this.table = element("table", { class: "rank-table queries" });
    this.titles = element("tr");
    this.body = element("tbody");
    this.table.append(element("thead", {}, this.titles), this.body);
    const names = systems.length > 1 ? ["query", systems[0], "", "change"] : ["query", systems[0]];
    this.titles.append(...names.map((name, place) => element("th",
      place ? { scope: "col", class: "number" } : { scope: "col" }, name || "-")));
    makeSortable(this.table, (place, direction) => {
      this.sorting = [place, direction];
      this.restart();
    });
    this.status = element("p", { class: "faint", role: "status" });
    this.more = element("button", { type: "button", class: "more" });
    this.more.addEventListener("click", () => {
      this.shown += 2 * this.page;
      this.update();
    });
    return element("div", { class: "scroll" }, this.table);
  }

  restart() {
    this.shown = this.page;
    this.pinned = null;
    this.update();
  }

  // Values of a query: baseline, system, change, and whether more is better.
  valuesOf(query) {
    const { values, greater, systems } = this.data;
    const own = values[this.measure.value];
    const was = own[0][query];
    if (systems.length === 1) return [was];
    const now = own[this.system.value][query];
    return [was, now, was === null || now === null ? null : now - was, greater[this.measure.value]];
  }

  isShown(query, words) {
    const [, , change, greater] = this.valuesOf(query);
    const gain = greater ? change : -change;
    const { slice: { value: slice }, which: { value: which } } = this;
    if (slice !== "" && !this.data.labels[query].includes(Number(slice))) return false;
    if (which === "worse" && !(change !== null && gain < 0)) return false;
    if (which === "better" && !(change !== null && gain > 0)) return false;
    if (which === "same" && change !== 0) return false;
    return words.every((word) => this.haystack[query].includes(word));
  }

  update() {
    const { queries, texts, items } = this.data;
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && !this.haystack) {
      this.haystack = queries.map((query, place) => [query, texts[place] || "",
        ...(items[place] || []).flatMap((item) => item.slice(0, 2))].join("\n").toLowerCase());
    }
    const found = [];
    for (let query = 0; query < queries.length; query++) {
      if (query === this.pinned || this.isShown(query, words)) found.push(query);
    }
    const [column, direction] = this.sorting || [null, 1];
    const key = (query) => {
      const values = this.valuesOf(query);
      if (column !== null) return column ? values[column - 1] : queries[query];
      if (values.length === 1) return values[0];
      return values[2] === null ? null : -Math.abs(values[2]);
    };
    const keyed = found.map((query) => [key(query), query]);
    keyed.sort((a, b) => (b[1] === this.pinned) - (a[1] === this.pinned) ||
      compareKeys(a[0], b[0], direction) || a[1] - b[1]);
    this.draw(keyed.slice(0, this.shown).map((pair) => pair[1]));
    const many = found.length === 1 ? "query" : "queries";
    this.status.textContent = !found.length ? "No query matches." :
      `${count(Math.min(this.shown, found.length))} of ${count(found.length)} ${many}` +
      (found.length < queries.length ? ` (${count(queries.length)} in all)` : "");
    this.more.hidden = found.length <= this.shown;
    this.more.textContent = `Show ${count(Math.min(2 * this.page, found.length - this.shown))} more`;
  }

  draw(queries) {
    const { systems } = this.data;
    if (systems.length > 1) {
      const title = this.titles.cells[2];
      (title.querySelector("button") || title).textContent = systems[this.system.value];
      const less = this.data.greater[this.measure.value] ? "" : " (lower is better)";
      const change = this.titles.cells[3];
      (change.querySelector("button") || change).textContent = "change" + less;
    }
    this.body.replaceChildren(...queries.map((query) => this.row(query)));
  }

  row(query) {
    const { queries, texts, systems, slices, labels } = this.data;
    const [was, now, change, greater] = this.valuesOf(query);
    const name = queries[query].trim() ? queries[query] : "(without a name)";
    const button = element("button", { type: "button", class: "open", "aria-expanded": "false" },
      texts[query] || name);
    const own = [texts[query] && name, ...(labels[query] || []).map((place) => slices[place])];
    const head = element("th", { scope: "row" }, button);
    const faint = own.filter(Boolean).join(" \u00b7 ");
    if (faint) head.append(element("span", { class: "text" }, faint));
    const cells = [element("td", { class: "number" }, fixed(was))];
    if (systems.length > 1) {
      const kind = !change ? "" : (change > 0) === greater ? " better" : " worse";
      const sign = kind && (change > 0 ? "\u25b2 " : "\u25bc ");
      cells.push(element("td", { class: "number" }, fixed(now)),
        element("td", { class: "number" + kind }, sign + fixed(change, true)));
    }
    const row = element("tr", {}, head, ...cells);
    button.addEventListener("click", () => {
      const isOpen = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!isOpen));
      if (isOpen) row.nextSibling.remove();
      else row.after(this.details(query, row.cells.length));
    });
    return row;
  }

  link(query) {
    return "#" + encodeURIComponent(this.prefix + this.data.queries[query]);
  }

  details(query, columns) {
    const { items, systems, measures } = this.data;
    const cell = element("td", { class: "details", colspan: columns });
    const measure = Number(this.measure.value);
    const system = systems.length > 1 ? Number(this.system.value) : 0;
    // Items with what they contribute to the change of the measure that is selected.
    const rows = (items[query] || []).map(([name, text, grade, ranks, parts]) => ({
      name, text, grade, old: ranks[0], now: ranks[system],
      part: system && parts[measure] ? parts[measure][system - 1] : null,
    }));
    if (!items[query]) {
      cell.append(element("p", {}, this.data.unknown));
    } else if (!rows.length) {
      cell.append(element("p", {}, "No relevant item was retrieved or judged."));
    } else {
      cell.append(...this.cause(rows));
      const sides = system ? [[0, "old"], [system, "now"]] : [[0, "now"]];
      cell.append(element("div", { class: "sides" },
        ...sides.map(([place, side]) => this.side(query, rows, place, side))));
      const below = rows.filter((row) => row.grade > 0 && !(row.now <= TOP && row.now !== null) &&
        !(row.old <= TOP && row.old !== null));
      if (below.length) {
        cell.append(element("p", {}, `Relevant, but not in the first ${TOP}:`),
          element("ul", { class: "items" }, ...below.map((row) => this.item(row, "below"))));
      }
      const sum = rows.reduce((total, row) => total + (row.part || 0), 0);
      if (rows.some((row) => row.part !== null)) {
        cell.append(element("p", { class: "faint" }, `In boxes: grades, ? is unjudged. With a sign: part of the ` +
          `change of ${measures[measure]}, ${fixed(sum, true)} in all.`));
      }
    }
    cell.append(element("a", { href: this.link(query) }, "Link to this query"));
    return element("tr", {}, cell);
  }

  // The item that contributed most to the change, in a sentence.
  cause(rows) {
    const sum = rows.reduce((total, row) => total + (row.part || 0), 0);
    const most = rows.reduce((best, row) => row.part * sum > best.part * sum ? row : best, { part: 0 });
    if (!most.part) return [];
    const { name, text, old, now, grade, part } = most;
    const move = old === null ? `is new at rank ${now}` : now === null ? `is gone from rank ${old}` :
      old === now ? `stayed at rank ${now}` : `${now > old ? "fell" : "rose"} from rank ${old} to ${now}`;
    const judged = grade === null ? "not judged" : `grade ${grade}`;
    return [element("p", {}, "Main reason: ", element("strong", {}, text || name),
      ` (${judged}) ${move}: ${fixed(part, true)} of ${fixed(sum, true)}.`)];
  }

  side(query, rows, place, side) {
    const { systems, lengths } = this.data;
    const top = rows.filter((row) => row[side] !== null && row[side] <= TOP);
    top.sort((a, b) => a[side] - b[side]);
    const length = lengths.length ? ` (${count(lengths[place][query])} results)` : "";
    const list = top.length ? element("ul", { class: "items" },
      ...top.map((row) => this.item(row, side))) :
      element("p", { class: "faint" }, `nothing in the first ${TOP} that is known`);
    return element("div", {}, element("p", {}, element("strong", {}, systems[place]), length), list);
  }

  // An item of the old or the new ranking, or of neither's first ranks.
  item({ name, text, grade, old, now, part }, side) {
    const isPair = this.data.systems.length > 1;
    const rank = side === "old" ? old : side === "now" ? now : null;
    const kind = grade === null ? "unknown" : grade > 0 ? "relevant" : "zero";
    const told = grade === null ? "not judged" : `grade ${grade}`;
    const badge = element("span", { class: `grade ${kind}`, title: told },
      element("span", { "aria-hidden": "true" }, grade === null ? "?" : String(grade)),
      element("span", { class: "hidden" }, told));
    const said = [];
    const place = (value) => value === null ? "not retrieved" : `rank ${value}`;
    if (side === "below") said.push(isPair ? `${place(old)} \u2192 ${place(now)}` : place(now));
    else if (isPair && side === "now" && old === null) said.push("new");
    else if (isPair && side === "now" && old !== now) {
      said.push(`${old > now ? "\u25b2" : "\u25bc"} from ${old}`);
    }
    else if (isPair && side === "old" && now === null) said.push("gone");
    else if (isPair && side === "old" && now > TOP) said.push(`now ${now}`);
    // The part of an item that is on both sides stands on the new one.
    const isHere = side !== "old" || now === null || now > TOP;
    if (part && isHere) said.push(fixed(part, true));
    const greater = this.data.greater[this.measure.value];
    const tone = !part || !isHere ? "faint" : (part > 0) === greater ? "better" : "worse";
    return element("li", {}, element("span", { class: "rank" }, rank === null ? "" : `${rank}.`),
      badge, element("span", {}, text || name, " ",
        ...(text ? [element("span", { class: "faint" }, name)] : []), " ",
        ...(said.length ? [element("span", { class: tone }, `(${said.join(", ")})`)] : [])));
  }

  // Opens the query of a link; whether it is one of these.
  follow(target) {
    if (!target.startsWith(this.prefix)) return false;
    const query = this.data.queries.indexOf(target.slice(this.prefix.length));
    if (query < 0) return false;
    this.pinned = query;
    this.update();
    const button = this.body.rows[0].querySelector("button");
    button.click();
    for (let fold = button.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      fold.open = true;
    }
    button.scrollIntoView();
    button.focus({ preventScroll: true });
    return true;
  }
}

const explorers = [...document.querySelectorAll("[data-queries]")].map((own) => new Explorer(own));

function followLink() {
  let target = location.hash.slice(1);
  try {
    target = decodeURIComponent(target);
  } catch { /* not one of our links */ }
  if (target) explorers.some((own) => own.follow(target));
}
addEventListener("hashchange", followLink);
followLink();

for (const link of document.querySelectorAll("a[data-slice]")) {
  link.addEventListener("click", () => {
    const own = explorers.find(({ prefix }) => link.hash === `#${prefix}queries`);
    own.choose({ slice: link.dataset.slice, group: link.dataset.group, which: "worse" });
  });
}
