"use strict";
// Tables are complete without this script; it sorts them, and lets the queries be searched.

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const fixed = (value, signed) => value === null ? "" :
  (signed && value >= 0 ? "+" : "") + value.toFixed(4);
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

const PAGE = 50;

class Explorer {
  constructor(place) {
    this.data = JSON.parse(place.querySelector("script").textContent);
    this.shown = PAGE;
    this.sorting = null; // largest change first, or lowest value
    this.haystack = null;
    place.replaceChildren(this.controls(), this.scrolled(), this.status, this.more);
    this.update();
  }

  controls() {
    const { systems, measures } = this.data;
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
    fields.append(label);
    [this.system, label] = select("System", numbered(systems, Math.min(1, systems.length - 1)));
    if (systems.length > 2) fields.append(label);
    [this.which, label] = select("Queries", [["all", "all"], ["worse", "worse"],
      ["better", "better"], ["same", "unchanged"]]);
    if (systems.length > 1) fields.append(label);
    this.search = element("input", { type: "search", autocomplete: "off" });
    this.search.addEventListener("input", () => this.restart());
    fields.append(element("label", { class: "wide" }, "Search in queries and items", this.search));
    return fields;
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
      this.shown += 2 * PAGE;
      this.update();
    });
    return element("div", { class: "scroll" }, this.table);
  }

  restart() {
    this.shown = PAGE;
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
    if (this.which.value === "worse" && !(change !== null && gain < 0)) return false;
    if (this.which.value === "better" && !(change !== null && gain > 0)) return false;
    if (this.which.value === "same" && change !== 0) return false;
    return words.every((word) => this.haystack[query].includes(word));
  }

  update() {
    const { queries, texts, items } = this.data;
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && !this.haystack) {
      this.haystack = queries.map((query, place) => [query, texts[place] || "",
        ...(items[place] || []).map((item) => item[0])].join("\n").toLowerCase());
    }
    const found = [];
    for (let query = 0; query < queries.length; query++) {
      if (this.isShown(query, words)) found.push(query);
    }
    const [column, direction] = this.sorting || [null, 1];
    const key = (query) => {
      const values = this.valuesOf(query);
      if (column !== null) return column ? values[column - 1] : queries[query];
      if (values.length === 1) return values[0];
      return values[2] === null ? null : -Math.abs(values[2]);
    };
    const keyed = found.map((query) => [key(query), query]);
    keyed.sort((a, b) => compareKeys(a[0], b[0], direction) || a[1] - b[1]);
    this.draw(keyed.slice(0, this.shown).map((pair) => pair[1]));
    this.status.textContent = `${count(Math.min(this.shown, found.length))} of ` +
      `${count(found.length)} queries${found.length < queries.length
        ? ` (${count(queries.length)} in all)` : ""}`;
    this.more.hidden = found.length <= this.shown;
    this.more.textContent = `Show ${count(Math.min(2 * PAGE, found.length - this.shown))} more`;
  }

  draw(queries) {
    const { systems } = this.data;
    if (systems.length > 1) {
      const title = this.titles.cells[2];
      (title.querySelector("button") || title).textContent = systems[this.system.value];
    }
    this.body.replaceChildren(...queries.map((query) => this.row(query)));
  }

  row(query) {
    const { queries, texts, systems } = this.data;
    const [was, now, change, greater] = this.valuesOf(query);
    const button = element("button", { type: "button", class: "open", "aria-expanded": "false" },
      queries[query].trim() ? queries[query] : "(without a name)");
    const head = element("th", { scope: "row" }, button);
    if (texts[query]) head.append(element("span", { class: "text" }, texts[query]));
    const cells = [element("td", { class: "number" }, fixed(was))];
    if (systems.length > 1) {
      const kind = !change ? "" : (change > 0) === greater ? " better" : " worse";
      cells.push(element("td", { class: "number" }, fixed(now)),
        element("td", { class: "number" + kind }, fixed(change, true)));
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

  details(query, columns) {
    const { items, systems, explained, lengths } = this.data;
    const cell = element("td", { class: "details", colspan: columns });
    const rows = items[query];
    const system = systems.length > 1 ? Number(this.system.value) : 0;
    if (!rows) {
      cell.append(element("p", {}, this.data.unknown));
    } else if (!rows.length) {
      cell.append(element("p", {}, "No relevant item was retrieved or judged."));
    } else cell.append(this.itemTable(rows, system));
    if (lengths.length) {
      const both = system ? [0, system] : [0];
      cell.append(element("p", { class: "faint" }, "Length of the ranking: " +
        both.map((place) => `${systems[place]} ${count(lengths[place][query])}`).join(", ")));
    }
    return element("tr", {}, cell);
  }

  itemTable(rows, system) {
    const { systems, explained } = this.data;
    const n = systems.length;
    const part = (row) => system ? row[2 + n + system - 1] ?? null : null;
    const parts = rows.map(part).filter((value) => value !== null);
    const largest = Math.max(...parts.map(Math.abs), 0);
    const ordered = system ? [...rows].sort((a, b) => Math.abs(part(b)) - Math.abs(part(a))) : rows;
    const titles = ["item", "grade", `rank in ${systems[0]}`];
    if (system) titles.push(`rank in ${systems[system]}`);
    if (parts.length) titles.push(`share of the change of ${explained}`);
    const head = element("tr", {}, ...titles.map((title, place) => element("th",
      { scope: "col", ...(place ? { class: "number" } : {}) }, title)));
    const rank = (value) => element("td", { class: "number" },
      value === null ? "not retrieved" : String(value));
    const body = ordered.map((row) => {
      const cells = [element("th", { scope: "row" }, row[0]),
        element("td", { class: "number" }, String(row[1])), rank(row[2])];
      if (system) cells.push(rank(row[2 + system]));
      if (parts.length) cells.push(this.share(part(row), largest));
      return element("tr", {}, ...cells);
    });
    const table = element("table", { class: "rank-table" }, element("thead", {}, head),
      element("tbody", {}, ...body));
    if (parts.length) {
      const sum = parts.reduce((total, value) => total + value, 0);
      table.prepend(element("caption", {}, `The shares add up to ${fixed(sum, true)}.`));
    }
    return element("div",
      { class: "scroll", tabindex: 0, role: "group", "aria-label": "Relevant items" }, table);
  }

  share(value, largest) {
    if (value === null) return element("td", { class: "number" });
    const width = largest ? 50 * Math.abs(value) / largest : 0;
    const bar = element("i");
    bar.style.cssText = `width:${width}%;left:${value < 0 ? 50 - width : 50}%`;
    return element("td", { class: "number" }, fixed(value, true),
      element("span", { class: "bar", "aria-hidden": "true" }, bar));
  }
}

for (const place of document.querySelectorAll("[data-queries]")) new Explorer(place);
