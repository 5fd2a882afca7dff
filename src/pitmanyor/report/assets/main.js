// The page comes together: unpack, draw, listen.

const KEYS = [
  ["↑ ↓", "through the topics"],
  ["Tab", "to the next list, button or chart; within a chart, arrows go from mark to mark and Enter chooses"],
  ["/", "search"],
  ["Esc", "leave the search; show all topics"],
  ["?", "this help"],
];

const INTERVALS = {
  samples: "Intervals hold 90 % of the posterior: they come from the states that the run kept.",
  documents: "The run kept too few states for posterior intervals. These say how shares would vary among other posts of the same kind, given the topics (90 %).",
};

function showHelp() {
  const help = document.getElementById("help");
  if (!help.children.length) {
    help.append(
      make("h2", { id: "help-title" }, "How to read this page"),
      make("p", {}, "A topic is a set of words that occur together; a post mixes a few of them. Choose a topic and every panel follows. The address keeps your choice: copy it to share the view."),
      make("p", {}, "Topics that use similar words are a family. Families have a letter and a colour; what is not chosen turns grey."),
      make("p", {}, data.trust.intervals ? INTERVALS[data.about.interval] : "Intervals are left out because the chains disagree: they would be far too narrow."),
      make("table", {}, make("tbody", {}, ...KEYS.map(([key, what]) => make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, what))))),
      make("p", {}, make("button", { class: "quiet", onclick: () => help.close() }, "Close")),
    );
  }
  help.showModal();
}

function onKey(event) {
  const typing = event.target.closest?.("input, textarea, select");
  if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("help").open) return;
  if (event.key === "Escape") {
    event.target.blur?.();
    choose({ topic: null, q: "" });
  } else if (typing) {
    return;
  } else if (event.key === "/") {
    event.preventDefault();
    document.getElementById("search").focus();
  } else if (event.key === "?") {
    showHelp();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    step(event.key === "ArrowDown" ? 1 : -1);
  }
}

function step(by) {
  const shown = listed();
  const at = shown.indexOf(state.topic);
  const next = at < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.max(0, Math.min(shown.length - 1, at + by));
  if (!shown.length) return;
  choose({ topic: shown[next] });
  const row = document.querySelector(`#list [data-topic="${shown[next]}"]`);
  row?.scrollIntoView({ block: "nearest" });
  if (document.getElementById("list").contains(document.activeElement)) row?.focus({ preventScroll: true });
}

function redraw() {
  for (const one of panels) {
    if (!one.shown) continue;
    const draft = one.id === "draft";
    if (draft && one.body.children.length) continue; // what somebody writes stays
    one.body.replaceChildren();
    attempt(one, () => one.draw(one.body));
    refresh(one);
  }
}

async function open() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
  data = await unpack();
  readAddress();
  document.body.append(tip);
  drawHead();
  drawSide();
  panels.unshift({ shown: true, draw: () => {}, update: updateSide, body: make("div") });
  for (const one of panels.slice(1)) attempt(one, () => place(one));
  redraw();
  const model = make("details", {}, make("summary", {}, "The model"), make("pre", {}, data.about.model));
  document.getElementById("foot").append(`Made by pitmanyor ${data.about.version} after ${plural(data.about.sweeps, "sweep")}. ${live ? "Drafts are sent to the server that showed this page, and nowhere else." : "This page is one file and loads nothing."}`, model);
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", () => (readAddress(), tell()));
  let width = innerWidth;
  let timer;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => innerWidth !== width && ((width = innerWidth), redraw()), 200);
  });
  document.body.dataset.ready = "true";
}

open().catch((error) => {
  console.error(error);
  document.getElementById("panels").append(make("p", { class: "hint", id: "broken" }, "This page could not be drawn: the file is damaged, or this browser is older than 2023."));
});
