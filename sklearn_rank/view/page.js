"use strict";
// The page has the answer, the grid and a table of queries; this script turns cells into filters and
// shows the queries with both lists of items.

const TOP = 10;
const PAGE = 50;
const MARKS = ["regression", "fine", "wrong judgement"];
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.flat().filter((child) => child !== null && child !== ""));
  return made;
};
const button = (text, attributes, click) => {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", click);
  return made;
};
const fixed = (value, signed) => value === null ? "undefined" :
  (signed && value >= 0 ? "+" : "") + value.toFixed(3);
// An item's part of a change; next to the others' part if it exceeds the whole.
const shareOf = (part, whole) => Math.abs(part) <= Math.abs(whole) ?
  `: ${fixed(part, true)} of ${fixed(whole, true)}` :
  `: ${fixed(part, true)}; the others ${fixed(whole - part, true)}`;
const count = (n) => n.toLocaleString("en");
const many = (n, one, several = `${one}s`) => `${count(n)} ${n === 1 ? one : several}`;

// What a reader stores --------------------------------------------------------------------------

// Pages with different queries have different notes.
let hash = 0;
for (const { textContent } of all(".data")) {
  for (let at = 0; at < textContent.length; at += 1) hash = (31 * hash + textContent.charCodeAt(at)) | 0;
}
const KEY = `sklearn-rank ${document.title} ${hash}`;
let notes = { grades: {}, marks: {} };
try {
  notes = { ...notes, ...JSON.parse(localStorage.getItem(KEY)) };
} catch { /* a browser that stores nothing for files */ }
function store() {
  try {
    localStorage.setItem(KEY, JSON.stringify(notes));
  } catch { /* kept until the page is closed */ }
}

// Data of a section -----------------------------------------------------------------------------

class Section {
  constructor(node, number) {
    this.number = number;
    this.data = JSON.parse(node.querySelector(".data").textContent);
    this.source = node.querySelector(".lines");
    this.parsed = new Map();
    this.isPair = this.data.systems.length > 1;
    const grades = this.data.queries.slice(0, 200).flatMap((_, query) =>
      this.items(query).items.map(({ grade }) => grade || 0));
    this.highest = Math.min(9, Math.max(3, ...grades));
  }

  get lines() {
    // Items stay text until somebody opens a query.
    this.split = this.split || this.source.textContent.replace(/^\n/, "").split("\n");
    return this.split;
  }

  get haystack() {
    const { queries, texts } = this.data;
    this.searched = this.searched || queries.map((query, place) =>
      `${query}\n${texts[place] || ""}\n${this.lines[place]}`.toLowerCase());
    return this.searched;
  }

  items(query) {
    if (!this.parsed.has(query)) {
      const [depths, rows] = this.lines[query] ? JSON.parse(this.lines[query]) : [[], []];
      const items = rows.map(([name, about, grade, ranks, parts, scores, raw]) => ({
        ...(typeof about === "string" ? { title: about } : about),
        name, grade, ranks, parts, scores: scores || [], raw: raw === undefined ? name : raw,
      }));
      this.parsed.set(query, { depths, items });
    }
    return this.parsed.get(query);
  }

  raw(query) {
    const { raw, queries } = this.data;
    return query in raw ? raw[query] : queries[query];
  }

  name(query) {
    const { texts, queries } = this.data;
    return texts[query] || (queries[query].trim() ? queries[query] : "(without a name)");
  }

  // Values of a query in a view: old, now, the change, and the gain, which is negative if worse.
  values(query, { measure, older, newer }) {
    const own = this.data.values[measure], now = own[newer][query];
    if (!this.isPair) return { old: null, now, change: null, gain: null };
    const old = own[older][query];
    const change = old === null || now === null ? null : now - old;
    return { old, now, change, gain: change === null || this.data.greater[measure] ? change : -change };
  }

  // Items with their ranks on both sides, and what each contributes to the change.
  moves(query, { measure, older, newer }) {
    const { depths, items } = this.items(query);
    return items.map((item) => {
      const old = this.isPair ? item.ranks[older] : null, now = item.ranks[newer];
      const part = older === 0 && newer > 0 && item.parts[measure] ? item.parts[measure][newer - 1] : null;
      // Ranks below the known part of a list; those of relevant items are all known.
      const isOpen = (system) => item.ranks[system] === null && !(item.grade > 0) &&
        depths[system] !== null && depths[system] !== undefined;
      return { ...item, old, now, part, oldOpen: isOpen(older), nowOpen: isOpen(newer) };
    });
  }

  // The item that explains a change: the largest contribution of its sign, else the largest move.
  cause(query, view) {
    const { gain, change } = this.values(query, view);
    if (!change || this.data.given[view.measure]) return null;
    const gained = (rank) => rank === null ? 0 : 1 / Math.log2(rank + 1);
    const weight = (move) => move.part !== null ? move.part * Math.sign(change) :
      (move.grade || 0) * (gained(move.now) - gained(move.old)) * Math.sign(gain) / 1e6;
    const [first] = this.moves(query, view).map((move) => [weight(move), move])
      .sort((a, b) => b[0] - a[0]);
    return first && first[0] > 0 ? first[1] : null;
  }
}

const tied = (rank) => Number.isInteger(rank) ? String(rank) : `${rank} (tied)`;

function moved({ old, now, oldOpen, nowOpen }) {
  if (old === now) return old === null ? "was not retrieved" : `stayed at rank ${tied(now)}`;
  if (old === null) return `${oldOpen ? "is now" : "entered"} at rank ${tied(now)}`;
  if (now === null) return nowOpen ? `left rank ${tied(old)}` : `dropped out (was rank ${tied(old)})`;
  return `${now > old ? "fell" : "rose"} from rank ${tied(old)} to ${tied(now)}`;
}

const sections = all("section.comparison").filter((node) => node.querySelector(".data"))
  .map((node) => new Section(node, Number(node.id.slice(8))));

// Text with the words of a query marked.
function marked(text, words) {
  if (!words.length) return [text];
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})`, "iu"))
    .map((part, place) => place % 2 ? element("mark", {}, part) : part);
}
const wordsOf = (text) => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [])]
  .filter((word) => word.length > 2).sort((a, b) => b.length - a.length);

// The list of queries, and one of them ----------------------------------------------------------

class Explorer {
  constructor(place) {
    this.place = place;
    this.side = element("div", { class: "side" });
    this.pane = element("article", { class: "pane", tabindex: "-1" });
    this.list = element("ol", { class: "list" });
    this.status = element("p", { class: "faint", role: "status" });
    this.more = button("", { class: "more" }, () => { this.shown += 2 * PAGE; this.fill(); });
    place.className = "explorer";
    place.append(this.side, this.pane);
    this.read();
    addEventListener("hashchange", () => this.read());
    document.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.drawLines()).observe(this.pane);
  }

  // The view that the address names, or the first one.
  read() {
    if (location.hash.slice(1) === this.written || location.hash.startsWith("#section-")) return;
    const given = new URLSearchParams(location.hash.slice(1));
    const number = Number(given.get("gate") || sections[0].number);
    this.section = sections.find((own) => own.number === number) || sections[0];
    const { data, isPair } = this.section, { show } = data;
    const measure = data.measures.indexOf(given.get("measure"));
    const place = (name, other) => {
      const found = data.systems.indexOf(given.get(name));
      return found < 0 ? other : found;
    };
    const isOwn = !given.size;
    this.view = {
      measure: measure < 0 ? show.measure : measure,
      slice: isOwn ? show.slice : given.get("slice") || "",
      which: isOwn ? show.which || "worse" : given.get("show") || "all",
      older: place("baseline", 0),
      newer: place("new", isPair ? show.system || 1 : 0),
      find: given.get("find") || "",
    };
    this.query = data.queries.indexOf(given.get("query"));
    if (isOwn) this.settle();
    else {
      this.controls();
      this.update(this.query);
    }
    if (!isOwn && this.query >= 0) this.pane.scrollIntoView({ block: "nearest" });
  }

  // Losses, else gains, else all: only a view that somebody chose may be empty.
  settle() {
    for (const which of [this.view.which, "better", "all"]) {
      this.view.which = this.section.isPair && this.view.newer !== this.view.older ? which : "all";
      this.controls();
      this.update();
      if (this.found.length) return;
    }
  }

  write() {
    const { data, number } = this.section, { view } = this;
    const state = new URLSearchParams();
    if (sections.length > 1) state.set("gate", number);
    state.set("measure", data.measures[view.measure]);
    if (view.slice) state.set("slice", view.slice);
    state.set("show", view.which);
    if (view.older) state.set("baseline", data.systems[view.older]);
    if (data.systems.length > 2) state.set("new", data.systems[view.newer]);
    if (view.find) state.set("find", view.find);
    if (this.query >= 0) state.set("query", data.queries[this.query]);
    this.written = state.toString();
    try {
      history.replaceState(null, "", `#${this.written}`);
    } catch { /* a page within another */ }
  }

  controls() {
    const { data, isPair } = this.section, { view } = this;
    const select = (label, name, options, value = view[name], kind = "") => {
      const field = element("select", { name }, options.map(([key, text]) =>
        element("option", { value: key }, text)));
      field.value = value;
      field.addEventListener("change", () => {
        this.view[name] = /measure|older|newer/.test(name) ? Number(field.value) : field.value;
        this.update();
      });
      return element("label", { class: kind }, label, field);
    };
    // Names of versions differ at their ends.
    const apart = (name) => name.length > 34 ? `${name.slice(0, 16)}\u2026${name.slice(-17)}` : name;
    const numbered = (names) => names.map((name, place) => [place, apart(name)]);
    const which = [["all", "all"], ...(isPair ? [["worse", "worse"], ["better", "better"], ["same", "unchanged"]] : []),
      ...(data.toJudge.length ? [["judge", "to judge next"]] : []), ["marked", "marked by you"]];
    const search = element("input", { type: "search", autocomplete: "off", name: "find" });
    search.value = view.find;
    search.addEventListener("input", () => { this.view.find = search.value; this.update(); });
    const isLong = data.systems.length > 2;
    this.side.replaceChildren(element("div", { class: "controls" },
      data.measures.length > 1 ? select("Measure", "measure", numbered(data.measures)) : "",
      isLong ? select("Baseline", "older", numbered(data.systems), view.older, "wide") : "",
      isLong ? select("New", "newer", numbered(data.systems), view.newer, "wide") : "",
      data.slices.length ? select("Slice", "slice", [["", "all"], ...data.slices.map((own) => [own, own])]) : "",
      select("Queries", "which", which),
      element("label", { class: "wide" }, "Search queries and items", search),
    ), this.status, this.list, this.more);
  }

  // Shows other queries; the first of them unless one is named.
  update(query = -1) {
    this.shown = PAGE;
    this.find();
    if (query >= 0 && !this.found.includes(query)) this.found.unshift(query);
    this.query = query >= 0 ? query : this.found.length ? this.found[0] : -1;
    this.shown = Math.max(PAGE, this.found.indexOf(this.query) + 1);
    this.fill();
    this.open();
  }

  find() {
    const { section, view } = this, { data } = section;
    const words = view.find.toLowerCase().split(/\s+/).filter(Boolean);
    const label = data.slices.indexOf(view.slice);
    const isShown = (query) => {
      const { gain } = section.values(query, view);
      if (label >= 0 && !data.labels[query].includes(label)) return false;
      if (view.which === "worse" && !(gain !== null && gain < 0)) return false;
      if (view.which === "better" && !(gain > 0)) return false;
      if (view.which === "same" && gain !== 0) return false;
      if (view.which === "judge" && !data.toJudge.includes(query)) return false;
      if (view.which === "marked" && !this.mark(query)) return false;
      return words.every((word) => section.haystack[query].includes(word));
    };
    const sign = section.data.greater[view.measure] ? 1 : -1;
    const key = (query) => {
      if (view.which === "judge") return data.toJudge.indexOf(query);
      const { gain, now } = section.values(query, view);
      const value = section.isPair ? gain : now === null ? null : sign * now;
      return value === null ? Infinity : view.which === "better" ? -value : value;
    };
    const keyed = data.queries.map((_, query) => query).filter(isShown).map((query) => [key(query), query]);
    keyed.sort((a, b) => a[0] === b[0] ? a[1] - b[1] : a[0] - b[0]);
    this.found = keyed.map((pair) => pair[1]);
  }

  fill() {
    const { section, view, found } = this, { data } = section;
    const shown = found.slice(0, this.shown);
    const largest = Math.max(...shown.map((query) => Math.abs(section.values(query, view).change || 0)));
    this.list.replaceChildren(...shown.map((query) => {
      const { now, change, gain } = section.values(query, view);
      const kind = gain ? (gain < 0 ? "worse" : "better") : "";
      const cause = section.cause(query, view);
      const bar = element("span", { class: `bar ${kind}`, "aria-hidden": "true" });
      bar.style.width = `${largest && change ? 4 * Math.abs(change) / largest : 0}rem`;
      const own = button("", { class: "query", "data-query": query }, () => {
        this.query = query;
        this.open();
        this.pane.scrollTop = 0;
        if (matchMedia("(max-width: 60rem)").matches) this.pane.scrollIntoView();
      });
      own.append(element("span", { class: "name", dir: "auto" }, section.name(query)),
        element("span", { class: `change ${kind}` }, bar, section.isPair ? fixed(change, true) : fixed(now)),
        element("small", {}, this.mark(query) ? element("em", {}, this.mark(query)) : "",
          cause ? element("bdi", {}, (cause.title || cause.name).slice(0, 60)) : "", cause ? `: ${moved(cause)}` : ""));
      return element("li", {}, own);
    }));
    const parts = [data.measures[view.measure], view.slice, view.which === "all" ? "" : view.which];
    this.status.textContent = found.length ?
      `${parts.filter(Boolean).join(" \u00b7 ")}: ${count(shown.length)} of ${many(found.length, "query", "queries")}` +
        `${found.length < data.queries.length ? ` (${count(data.queries.length)} in all)` : ""}` :
      "No queries match.";
    if (view.find && data.leftOut) this.status.textContent += ` Items of ${many(data.leftOut, "query", "queries")} are not searched.`;
    this.more.hidden = found.length <= shown.length;
    this.more.textContent = `Show ${count(Math.min(2 * PAGE, found.length - shown.length))} more`;
    for (const cell of all(".grid button")) {
      const { section: number, measure, slice, new: newer } = cell.dataset;
      const isOn = Number(number) === section.number && measure === data.measures[view.measure] &&
        slice === view.slice && view.older === 0 && Number(newer) === view.newer;
      cell.setAttribute("aria-pressed", String(isOn));
    }
  }

  // A cell of the grid as a filter.
  choose({ section, measure, slice, new: newer, direction }) {
    const own = sections.find(({ number }) => number === Number(section));
    const place = own ? own.data.measures.indexOf(measure) : -1;
    if (place < 0) return;
    const isOther = own !== this.section;
    this.section = own;
    const which = direction || "worse";
    this.view = { ...this.view, measure: place, slice, older: 0, newer: Number(newer), which, find: "" };
    if (!own.isPair || (isOther && Number(newer) >= own.data.systems.length)) Object.assign(this.view, { older: 0, newer: 0 });
    this.settle();
    this.place.scrollIntoView({ block: "nearest" });
  }

  step(by) {
    const place = this.found.indexOf(this.query) + by;
    if (place < 0 || place >= this.found.length) return;
    this.query = this.found[place];
    if (place >= this.shown) {
      this.shown = place + PAGE;
      this.fill();
    }
    this.open();
    this.list.querySelector("[aria-current=true]").scrollIntoView({ block: "nearest" });
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    if (event.key === "j") this.step(1);
    else if (event.key === "k") this.step(-1);
    else if (event.key === "n" || event.key === "p") this.walk(event.key === "n" ? 1 : -1);
    else if (/^[0-9]$/.test(event.key) && Number(event.key) <= this.section.highest) this.judge(Number(event.key));
    else return;
    event.preventDefault();
  }

  // Judging -------------------------------------------------------------------------------------

  keyOf(query) {
    return `${sections.length > 1 ? `${this.section.number} ` : ""}${this.section.raw(query)}`;
  }

  mark(query) {
    return notes.marks[this.keyOf(query)] || "";
  }

  graded(item, query = this.query) {
    const own = notes.grades[this.keyOf(query)];
    return own && item.raw in own ? own[item.raw] : null;
  }

  walk(by) {
    const items = all(".item", this.pane);
    const place = items.findIndex((own) => own.classList.contains("current"));
    this.select(items[Math.min(items.length - 1, Math.max(0, place + by))]);
  }

  select(own) {
    for (const other of all(".current", this.pane)) other.classList.remove("current");
    if (!own) return;
    own.classList.add("current");
    own.querySelector(".grade").focus({ preventScroll: true });
    own.scrollIntoView({ block: "nearest" });
  }

  // Grades the current item, and goes to the next one.
  judge(grade, name = null) {
    const current = this.pane.querySelector(".current") || this.pane.querySelector(".item");
    const raw = name === null ? current && current.dataset.item : name;
    if (raw === undefined || raw === null) return;
    const key = this.keyOf(this.query);
    notes.grades[key] = { ...notes.grades[key], [raw]: grade };
    if (grade === null) delete notes.grades[key][raw];
    if (!Object.keys(notes.grades[key]).length) delete notes.grades[key];
    store();
    const items = all(".item", this.pane);
    const place = items.findIndex((own) => own.classList.contains("current"));
    this.open();
    if (place >= 0) this.select(all(".item", this.pane)[Math.min(items.length - 1, place + (name === null))]);
  }

  judgements() {
    const rows = [];
    for (const [key, items] of Object.entries(notes.grades)) {
      const query = sections.length > 1 ? key.slice(key.indexOf(" ") + 1) : key;
      for (const [item, grade] of Object.entries(items)) rows.push({ query, item, grade });
    }
    return rows;
  }

  // One query -----------------------------------------------------------------------------------

  open() {
    const { section, view, query } = this, { data } = section;
    for (const own of all(".query", this.list)) own.setAttribute("aria-current", String(Number(own.dataset.query) === query));
    this.write();
    if (query < 0) {
      this.pane.replaceChildren(element("p", { class: "faint" }, "No queries match."));
      return;
    }
    const { old, now, gain } = section.values(query, view);
    const words = wordsOf(data.texts[query] || "");
    const value = section.isPair ? `${fixed(old)} \u2192 ${fixed(now)}` : fixed(now);
    const others = data.measures.map((name, measure) => {
      const own = section.values(query, { ...view, measure });
      return measure === view.measure ? "" : `${name} ${section.isPair ? `${fixed(own.old)} \u2192 ` : ""}${fixed(own.now)}`;
    });
    const about = [data.texts[query] && data.queries[query],
      ...(data.labels[query] || []).map((label) => data.slices[label]), ...others].filter(Boolean);
    const moves = section.moves(query, view);
    const parts = [element("h2", {}, element("bdi", {}, section.name(query)), " ", element("span",
      { class: gain ? (gain < 0 ? "worse" : "better") : "" }, `${data.measures[view.measure]} ${value}`)),
    element("p", { class: "faint" }, about.join(" \u00b7 "))];
    const cause = section.cause(query, view);
    const sum = moves.reduce((total, move) => total + (move.part || 0), 0);
    if (cause) {
      parts.push(element("p", {}, data.isRepeated ? "Main reason in the first run: " : "Main reason: ", element("strong", {}, element("bdi", {}, cause.title || cause.name)),
        ` (${cause.grade === null ? "not judged" : `grade ${cause.grade}`}) ${moved(cause)}` +
        `${cause.part === null ? "" : shareOf(cause.part, sum)}.`));
    }
    if (!section.lines[query]) {
      parts.push(element("p", { class: "notice" }, data.leftOut ?
        "The items of this query are left out to keep the file small." :
        "Item ids were not kept; evaluate(..., keep_items=True) keeps them."));
    } else {
      const sides = section.isPair ? ["old", "now"] : ["now"];
      this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      this.svg.setAttribute("aria-hidden", "true");
      const lists = sides.map((side) => this.column(moves, side, words));
      if (section.isPair) lists.splice(1, 0, this.svg);
      parts.push(element("div", { class: `lists${section.isPair ? "" : " one"}` }, lists));
      const inTop = (rank) => rank !== null && rank <= TOP;
      const below = moves.filter((move) => move.grade > 0 && !inTop(move.now) && !inTop(move.old));
      if (below.length) {
        parts.push(element("p", {}, element("strong", {}, section.isPair ? `Relevant, but in neither top ${TOP}` : `Relevant, but not in the top ${TOP}`)),
          element("ul", { class: "items" }, below.map((move) => this.item(move, "below", words))));
      }
      if (moves.some((move) => move.part !== null)) {
        parts.push(element("p", { class: "faint" }, `Boxes show the grade (? = not judged). Signed numbers are contributions to the change in ${data.measures[view.measure]}, and add up to ${fixed(sum, true)}.`));
      }
    }
    parts.push(this.foot(query));
    this.pane.replaceChildren(...parts);
    this.fold();
    this.drawLines();
  }

  column(moves, side, words) {
    const { data, isPair } = this.section, system = side === "old" ? this.view.older : this.view.newer;
    const top = moves.filter((move) => move[side] !== null && move[side] <= TOP);
    top.sort((a, b) => a[side] - b[side]);
    const length = data.lengths.length ? ` (${many(data.lengths[system][this.query], "result")})` : "";
    const { depths } = this.section.items(this.query);
    return element("div", {}, element("p", {}, element("strong", {}, isPair ? (side === "old" ? "baseline" : "new") : "results"), length),
      depths[system] === 0 ? element("p", { class: "faint" }, "Only the ranks of relevant items are stored.") : "",
      top.length ? element("ol", { class: "items" }, top.map((move) => this.item(move, side, words))) :
        element("p", { class: "faint" }, `No stored items in the top ${TOP}`));
  }

  tag({ old, now, oldOpen, nowOpen }, side) {
    if (!this.section.isPair) return side === "below" ? (now === null ? "not retrieved" : `rank ${now}`) : "";
    if (side === "below") return `${old === null ? "not retrieved" : old} \u2192 ${now === null ? "not retrieved" : now}`;
    if (old === now) return "";
    if (side === "old") return now === null ? (nowOpen ? "" : "dropped out") : now > TOP ? `now ${tied(now)}` : "";
    return old === null ? (oldOpen ? "" : "new") : `from ${tied(old)}`;
  }

  item(move, side, words) {
    const { data } = this.section, { greater } = data, view = this.view;
    const own = this.graded(move), grade = own === null ? move.grade : own;
    const kind = grade === null ? "unknown" : grade > 0 ? "relevant" : "zero";
    const told = (grade === null ? "not judged" : `grade ${grade}`) + (own === null ? "" : " (yours)");
    const badge = button(grade === null ? "?" : String(grade),
      { class: `grade ${kind}${own === null ? "" : " own"}`, "aria-label": `${told}: judge`, title: told },
      () => this.offer(line, move));
    const tag = this.tag(move, side);
    const fell = move.now === null || (move.old !== null && move.now > move.old);
    const isHere = side !== "old" || move.now === null || move.now > TOP;
    const part = move.part && isHere ? fixed(move.part, true) : "";
    const tone = part ? ((move.part > 0) === greater[view.measure] ? "better" : "worse") : "";
    const system = side === "old" ? view.older : view.newer;
    const score = move.scores[system];
    const body = element("div", { class: "body", dir: "auto" }, element("div", { class: "fold" },
      element("b", {}, marked(move.title || (move.text ? "" : move.name), words)),
      move.text ? element("p", {}, marked(move.text, words)) : ""));
    const facts = [move.title || move.text ? move.name : "",
      typeof score === "number" ? `score ${Number(score.toPrecision(4))}` : ""].filter(Boolean);
    const small = element("small", {}, facts.join(" \u00b7 "));
    if (move.url) small.append(" \u00b7 ", element("a", { href: move.url, target: "_blank", rel: "noreferrer noopener" }, "open"));
    if (move.image && !move.image.startsWith("data:")) {
      small.append(" \u00b7 ", element("a", { href: move.image, target: "_blank", rel: "noreferrer noopener" }, "picture"));
    }
    body.append(small);
    const rank = side === "old" ? move.old : side === "now" ? move.now : null;
    const line = element("li", { class: "item", "data-item": move.raw, "data-side": side },
      element("span", { class: "rank" }, rank === null ? "" : String(rank)),
      move.image && move.image.startsWith("data:") ? element("img", { src: move.image, alt: "" }) : "", body,
      tag || part ? element("span", { class: "tags" },
        tag ? element("em", { class: move.grade > 0 && fell && side !== "below" ? "worse" : "" }, tag) : "",
        part ? element("span", { class: tone }, part) : "") : "", badge);
    line.addEventListener("click", () => {
      for (const other of all(".current", this.pane)) other.classList.remove("current");
      line.classList.add("current");
    });
    return line;
  }

  // Grades next to an item.
  offer(line, move) {
    if (line.querySelector(".offer")) {
      line.querySelector(".offer").remove();
      return;
    }
    const grades = [...Array(this.section.highest + 1).keys()].map((grade) =>
      button(String(grade), { "aria-label": `grade ${grade}` }, () => this.judge(grade, move.raw)));
    if (this.graded(move) !== null) grades.push(button("undo", {}, () => this.judge(null, move.raw)));
    line.append(element("span", { class: "offer", role: "group", "aria-label": "Grade" }, grades));
    line.querySelector(".offer button").focus();
  }

  foot(query) {
    const mark = this.mark(query), rows = this.judgements();
    const marks = MARKS.slice(this.section.isPair ? 0 : 1).map((own) => button(own, { class: "pill", "aria-pressed": String(own === mark) }, () => {
      if (own === mark) delete notes.marks[this.keyOf(query)];
      else notes.marks[this.keyOf(query)] = own;
      store();
      this.fill();
      this.open();
    }));
    const keys = [["j", "k", "next, previous query"], ["n", "p", "next, previous item"], ["0", String(this.section.highest), "grade the item"]];
    const n = Object.keys(notes.marks).length;
    const save = button(`Export ${many(rows.length, "judgement")}`, { class: "pill", "data-export": "" }, () => this.save());
    save.disabled = !rows.length;
    return element("div", { class: "foot" }, element("span", { class: "keys" }, keys.map(([first, last, told]) =>
      element("span", {}, element("kbd", {}, first), " ", element("kbd", {}, last), ` ${told} `))),
    element("span", { role: "group", "aria-label": "Mark this query" }, marks), element("span", { class: "faint" }, `${count(n)} marked`), save);
  }

  save() {
    // JSON lines, which read_qrels takes: no id can become a formula or end a row.
    const text = this.judgements().map((row) => JSON.stringify(row)).join("\n") + "\n";
    const link = element("a", { download: "judgements.jsonl", href: URL.createObjectURL(new Blob([text], { type: "application/json" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // A button below passages that are cut after two lines.
  fold() {
    for (const own of all(".fold", this.pane)) {
      if (own.scrollHeight <= own.clientHeight + 2) continue;
      const more = button("more", { class: "unfold", "aria-expanded": "false" }, () => {
        const isOpen = own.classList.toggle("open");
        more.setAttribute("aria-expanded", String(isOpen));
        more.textContent = isOpen ? "less" : "more";
        this.drawLines();
      });
      own.after(more);
    }
  }

  // Lines between the places of an item: thicker for higher grades, dashed if it has only one.
  drawLines() {
    if (!this.svg || !this.svg.isConnected) return;
    const box = this.svg.getBoundingClientRect();
    this.svg.replaceChildren();
    if (!box.width) return;
    const places = { old: new Map(), now: new Map() };
    for (const own of all(".item", this.pane)) {
      const { item, side } = own.dataset, { top, height } = own.getBoundingClientRect();
      if (side in places) places[side].set(item, top + height / 2 - box.top);
    }
    for (const move of this.section.moves(this.query, this.view)) {
      const from = places.old.get(move.raw), to = places.now.get(move.raw);
      if (from === undefined && to === undefined) continue;
      const w = box.width, isBoth = from !== undefined && to !== undefined;
      if (!isBoth && !(move.grade > 0)) continue;
      const h = box.height;
      const d = isBoth ? `M0 ${from} C ${w / 2} ${from}, ${w / 2} ${to}, ${w} ${to}` :
        from !== undefined ? `M0 ${from} C ${w / 3} ${from}, ${w / 2 - 6} ${h - 30}, ${w / 2 - 6} ${h}` :
          `M${w} ${to} C ${2 * w / 3} ${to}, ${w / 2 + 6} ${h - 30}, ${w / 2 + 6} ${h}`;
      const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const fell = move.grade > 0 && (to === undefined || to > from + 4 && isBoth);
      line.setAttribute("d", d);
      line.setAttribute("class", fell ? "worse" : move.grade > 0 && from !== to ? "better" : "");
      line.setAttribute("stroke-width", String(1 + Math.min(3, move.grade || 0)));
      if (!isBoth) line.setAttribute("stroke-dasharray", "4 4");
      this.svg.append(line);
    }
  }

  // The view in Markdown: three queries, marks, judgements.
  markdown() {
    const { section, view } = this;
    const rows = this.found.slice(0, 3).map((query) => {
      const { old, now } = section.values(query, view), cause = section.cause(query, view);
      const value = section.isPair ? `${fixed(old)} \u2192 ${fixed(now)}` : fixed(now);
      return `| ${escape(section.name(query))} | ${value} | ${cause ? escape(`${cause.title || cause.name} (grade ${cause.grade}) ${moved(cause)}`) : ""} |`;
    });
    const lines = ["", `| ${escape(this.status.textContent.split(":")[0])} | ${escape(section.data.measures[view.measure])} | why |`, "| --- | --- | --- |", ...rows];
    const marks = Object.entries(notes.marks).map(([query, mark]) => `- ${escape(query)}: ${mark}`);
    if (marks.length) lines.push("", "**Marked queries**", "", ...marks);
    const rated = this.judgements();
    if (rated.length) lines.push("", `**${many(rated.length, "judgement")}**`, "", "| query | item | grade |", "| --- | --- | ---: |", ...rated.map(({ query, item, grade }) => `| ${escape(query)} | ${escape(item)} | ${grade} |`));
    return `\n${lines.join("\n")}\n`;
  }
}

// The bar ---------------------------------------------------------------------------------------

const escape = (text) => text.trim().replace(/\s+/g, " ")
  .replace(/@(?!\d)|:(?! )|[^\p{L}\p{N} .,;:()+%@\u00b7\u2013\u2192\u25b2\u25bc-]/gu, (own) => `&#${own.codePointAt(0)};`);

// The answer and the grids in Markdown, to be pasted into a pull request.
function answer() {
  const { className } = document.querySelector(".answer");
  const sign = /worse/.test(className) ? ":x:" : /better/.test(className) ? ":white_check_mark:" : ":grey_question:";
  const lines = [`**${sign} ${escape(document.querySelector("h1").textContent)}**`];
  for (const own of all(".answer h1 ~ p")) lines.push("", escape(own.textContent));
  for (const own of all("section.comparison")) {
    for (const title of all(":scope > h2, summary > h2", own)) lines.push("", `**${escape(title.textContent)}**`);
    const [head, ...rows] = all(".grid tr", own).map((row) => [...row.children].map((cell) =>
      cell.querySelector("button") ? all("b, button > span:not(.bins)", cell).map((part) => escape(part.textContent)).join(", ") : escape(cell.textContent)));
    lines.push("", ...[head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`));
  }
  return lines.join("\n");
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // pages from a disk in some browsers
    const field = element("textarea", { class: "hidden", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

const explorer = sections.length ? new Explorer(document.getElementById("explorer")) : null;
for (const own of all(".unscripted")) own.remove();
for (const own of all(".actions, [data-quiet]")) own.hidden = false;
for (const own of all("[data-quiet]")) {
  own.addEventListener("click", () => {
    own.parentNode.previousElementSibling.classList.add("all");
    own.remove();
  });
}
for (const own of all("[data-copy]")) {
  own.addEventListener("click", async () => {
    const isLink = own.dataset.copy === "link";
    await copy(isLink ? location.href : answer() + (explorer ? explorer.markdown() : "\n"));
    own.parentNode.querySelector("[role=status]").textContent = isLink ? "Link copied" : "Markdown copied";
    const text = own.textContent;
    own.textContent = "Copied";
    setTimeout(() => { own.textContent = text; }, 1500);
  });
}
for (const own of all(".gates a")) {
  own.addEventListener("click", () => {
    for (const folded of all(`${own.hash} > details.gate`)) folded.open = true;
  });
}
for (const own of all("[data-print]")) own.addEventListener("click", () => print());
for (const own of all(".grid button")) {
  const kind = own.parentNode.className;
  own.addEventListener("click", () => explorer && explorer.choose({ ...own.dataset, direction: kind }));
}
