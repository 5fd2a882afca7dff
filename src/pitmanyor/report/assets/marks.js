// The marks of charts: what each says, by pointer and by keyboard. Tab comes to a set of marks, arrows go from mark to
// mark, Enter chooses.

const tip = make("div", { id: "tip", role: "status" });
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function showTip(text, x, y) {
  tip.textContent = text;
  tip.style.display = "block";
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - 230))}px`;
  tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - 60))}px`;
}

const hideTip = () => (tip.style.display = "none");

/** Marks that say `text(datum)` to those who point at them or come to them by keyboard. */
function withTip(selection, text) {
  selection
    .attr("tabindex", (_, i) => (i ? -1 : 0))
    .attr("role", function () {
      return this.hasAttribute("data-topic") || this.hasAttribute("data-author") ? "button" : "img";
    })
    .attr("aria-label", text)
    .on("pointermove", (event, d) => showTip(text(d), event.clientX, event.clientY))
    .on("pointerleave", hideTip)
    .on("focus", function (_, d) {
      selection.attr("tabindex", -1);
      const said = text(d);
      const { right, bottom } = d3.select(this).attr("tabindex", 0).attr("aria-label", said).node().getBoundingClientRect();
      if (this.matches(":focus-visible")) showTip(said, right - 10, bottom - 10);
    })
    .on("blur", hideTip)
    .on("keydown", (event) => onMark(event, selection.nodes()));
  return selection;
}

function onMark(event, marks) {
  const mark = event.currentTarget;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" || event.key === " ") mark.dispatchEvent(new MouseEvent("click"));
  else if (event.key in ARROWS) nearestMark(mark, marks, ARROWS[event.key])?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation(); // elsewhere arrows go through the topics
}

/** The mark that comes next in a direction: what lies aside counts twice, and at more than 45 degrees not at all. */
function nearestMark(from, marks, [right, down]) {
  const middle = (mark) => {
    const box = mark.getBoundingClientRect();
    return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  };
  const [x, y] = middle(from);
  const far = (mark) => {
    const [dx, dy] = [middle(mark)[0] - x, middle(mark)[1] - y];
    const [ahead, aside] = right ? [dx * right, Math.abs(dy)] : [dy * down, Math.abs(dx)];
    return mark === from || ahead < 0.5 || aside > ahead ? Infinity : ahead + 2 * aside;
  };
  const next = d3.least(marks, far);
  return next && far(next) < Infinity ? next : null;
}
