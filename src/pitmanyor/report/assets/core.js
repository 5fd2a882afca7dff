// What everything else uses: the data, the reader's choice, and small tools. Text of strangers is only ever set as
// textContent; there is no innerHTML in this page.

let data; // the payload, once unpacked
const panels = []; // in the order in which they stand on the page
const state = { topic: null, q: "", relevance: 0.6, all: false, cards: false };
const live = document.getElementById("data").dataset.live === "true";

async function unpack() {
  const letters = atob(document.getElementById("data").textContent);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** An element: make("p", { class: "hint" }, "text", child, ...). Strings become text, never markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null && child !== false));
  return element;
}

/** Text of strangers, in a box of its own direction. */
const own = (text, attributes = {}) => make("bdi", { dir: "auto", ...attributes }, text);

/** The choice of the reader: changed here alone, kept in the address, told to every panel. */
function choose(change) {
  Object.assign(state, change);
  tell();
  clearTimeout(keepAddress.timer); // browsers allow few changes of the address in a row
  keepAddress.timer = setTimeout(keepAddress, 150);
}

function keepAddress() {
  const said = new URLSearchParams();
  if (state.topic !== null) said.set("topic", data.topics[state.topic].id);
  if (state.q) said.set("q", state.q);
  if (state.relevance !== 0.6) said.set("relevance", state.relevance);
  if (state.all) said.set("all", "1");
  const address = `#${said}`;
  if (location.hash === address || (address === "#" && !location.hash)) return;
  try {
    history.replaceState(null, "", address);
  } catch {
    // Some browsers refuse it here. The page works all the same; the view just cannot be shared.
  }
}

function tell() {
  for (const one of panels.filter((panel) => panel.shown)) refresh(one);
}

function refresh(one) {
  attempt(one, () => {
    one.update();
    one.tidy?.();
  });
}

/** Do something for a panel. What goes wrong there is said there, and the others go on. */
function attempt(one, what) {
  try {
    what();
  } catch (error) {
    console.error(error);
    one.body?.replaceChildren(make("p", { class: "soft" }, "This panel could not be drawn. The others do not need it."));
  }
}

/** New children in place of the old. Where one of the old had the focus, its successor gets it. */
function renew(box, ...children) {
  const held = box.contains(document.activeElement) ? document.activeElement : null;
  const buttons = () => [...box.querySelectorAll("button")];
  const at = buttons().indexOf(held);
  box.replaceChildren(...children);
  if (!held) return;
  const topic = held.dataset.topic;
  const same = topic === undefined ? null : box.querySelector(`button[data-topic="${topic}"]`);
  (same ?? buttons()[Math.min(at, buttons().length - 1)] ?? box.querySelector("[tabindex]"))?.focus({ preventScroll: true });
}

function readAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  const topic = said.has("topic") ? data.topics.findIndex((t) => t.id === Number(said.get("topic"))) : -1;
  const relevance = said.has("relevance") ? Number(said.get("relevance")) : 0.6;
  state.topic = topic >= 0 ? topic : null;
  state.q = (said.get("q") ?? "").slice(0, 200);
  state.relevance = relevance >= 0 && relevance <= 1 ? relevance : 0.6;
  state.all = said.has("all");
}

const toggle = (topic) => choose({ topic: state.topic === topic ? null : topic });
const letter = (topic) => "ABCDEFGH"[data.topics[topic].family];
const colour = (topic) => `var(--f${data.topics[topic].family})`;
const isShown = (topic) => state.topic === null || state.topic === topic;
const shade = (topic) => (isShown(topic) ? colour(topic) : "var(--grey)");
const topicName = (topic) => data.topics[topic].label;
/** The first word of a label, where there is little room. */
const firstTag = (topic) => short(topicName(topic).split(" ")[0].replace(/,$/, ""), 16);
const short = (text, n) => ([...text].length > n ? [...text].slice(0, n - 1).join("") + "…" : text);
const count = d3.format(",");
const plural = (n, what) => `${count(n)} ${what}${n === 1 ? "" : "s"}`;

/** A share with as many digits as it deserves: 12.3 %, 0.45 %, < 0.01 %. */
function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.01) return "< 0.01 %";
  return `${value >= 9.95 || value === 0 ? value.toFixed(value >= 99.95 || value === 0 ? 0 : 1) : value.toPrecision(2)} %`;
}
/** An interval, both ends with the digits of the upper one. */
const range = (topic) => {
  const { low, high } = data.topics[topic];
  if (low === undefined) return "";
  const said = percent(high);
  const decimals = said.startsWith("<") ? 2 : (said.split(".")[1] ?? "  ").length - 2;
  return `${(100 * low).toFixed(decimals)} – ${said}`;
};
const day = (minutes, every = "day") =>
  d3.utcFormat({ hour: "%-d %b %Y, %H:00", day: "%-d %b %Y", week: "week of %-d %b %Y", month: "%b %Y", year: "%Y" }[every])(new Date(minutes * 60000));

function badge(topic) {
  const element = make("span", { class: "badge", title: `family ${letter(topic)}` }, letter(topic));
  element.style.setProperty("--family", colour(topic));
  return element;
}

/** Topics that are listed: the chosen one, and those that match the search; small ones only if asked for. */
function listed() {
  const q = state.q.toLowerCase();
  return d3.range(data.topics.length).filter((k) => {
    const topic = data.topics[k];
    if (k === state.topic) return true;
    if (!q) return state.all || !topic.small;
    const words = [...topic.words, ...(topic.tags ?? [])];
    return topic.label.toLowerCase().includes(q) || words.some((entry) => entry[0].toLowerCase().includes(q.replace("#", "")));
  });
}

/** Large topics, or as many as the search leaves. */
const large = () => d3.range(data.topics.length).filter((k) => !data.topics[k].small);

/** Relevance of a word (Sievert and Shirley): its probability in the topic, or how much it sets the topic apart. */
function relevant(entries, n) {
  const score = ([, p, everywhere]) => state.relevance * Math.log(p) + (1 - state.relevance) * Math.log(p / everywhere);
  return d3.sort(entries, (a, b) => score(b) - score(a)).slice(0, n);
}
