// Views return plain descriptions of elements; this draws them, and changes only what differs from what is there,
// so that focus, selections and what is being typed stay. Text becomes text nodes and never markup.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "circle", "line", "rect", "g"]);
// Set as properties: the attributes of these are only what the element begins with.
// `defaultValue` is what a form goes back to when it is reset.
const PROPERTIES = new Set(["value", "defaultValue", "checked", "indeterminate"]);

/// Describes an element. Props: attributes, `key` (who it is among its siblings), `on` (handlers by event),
/// `vars` (CSS variables), `mounted` (called with the element once it stands in the page).
export function h(tag, props, ...children) {
  const { key, on, vars, mounted, ...attributes } = props ?? {};
  return { tag, key, on, vars, mounted, attributes, children: flat(children) };
}

function flat(children) {
  const all = [];
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    all.push(typeof child === "object" ? child : { text: String(child) });
  }
  return all;
}

/// Makes the children of `parent` what `views` describe.
export function draw(parent, views) {
  const fresh = [];
  reconcile(parent, flat([views]), fresh);
  for (const run of fresh) run();
}

function reconcile(parent, next, fresh) {
  const before = new Map();
  for (const view of parent.drawn ?? []) before.set(view.id, view);
  name(next);
  for (const view of next) {
    const old = before.get(view.id);
    if (old && old.tag === view.tag) {
      before.delete(view.id);
      change(old, view, fresh);
    } else {
      create(view, fresh);
    }
  }
  for (const old of before.values()) old.dom.remove();
  let place = parent.firstChild;
  for (const view of next) {
    if (view.dom === place) place = place.nextSibling;
    else parent.insertBefore(view.dom, place);
  }
  parent.drawn = next;
}

/// Who a view is among its siblings: its key, or the how-manieth of its tag without one.
function name(views) {
  const counts = new Map();
  for (const view of views) {
    const tag = view.tag ?? "#text";
    if (view.key !== undefined) {
      view.id = `${tag}=${view.key}`;
      // Keys that come from elsewhere may be there twice: each still has a place of its own.
      const count = counts.get(view.id) ?? 0;
      counts.set(view.id, count + 1);
      if (0 < count) view.id += `#${count}`;
    } else {
      const count = counts.get(tag) ?? 0;
      counts.set(tag, count + 1);
      view.id = `${tag}#${count}`;
    }
  }
}

function create(view, fresh) {
  if (view.text !== undefined) {
    view.dom = document.createTextNode(view.text);
    return;
  }
  const dom = SVG_TAGS.has(view.tag) ? document.createElementNS(SVG, view.tag) : document.createElement(view.tag);
  view.dom = dom;
  // Children first: the value of a select is one of its options.
  reconcile(dom, view.children, fresh);
  setAttributes(dom, {}, view.attributes);
  setVars(dom, {}, view.vars ?? {});
  setHandlers(dom, view.on ?? {});
  if (view.mounted) fresh.push(() => view.mounted(dom));
}

function change(old, view, fresh) {
  const dom = (view.dom = old.dom);
  if (view.text !== undefined) {
    if (old.text !== view.text) dom.data = view.text;
    return;
  }
  reconcile(dom, view.children, fresh);
  setAttributes(dom, old.attributes, view.attributes);
  setVars(dom, old.vars ?? {}, view.vars ?? {});
  setHandlers(dom, view.on ?? {});
}

function setAttributes(dom, old, next) {
  for (const [attribute, value] of Object.entries(next)) {
    // A select forgets its value when the option for it comes later.
    const forgotten = attribute === "value" && dom.tagName === "SELECT" && dom.value !== value;
    if (old[attribute] === value && !forgotten) continue;
    if (PROPERTIES.has(attribute)) dom[attribute] = value ?? "";
    else if (attribute.startsWith("aria-") && typeof value === "boolean") dom.setAttribute(attribute, String(value));
    else if (value === false || value === null || value === undefined) dom.removeAttribute(attribute);
    else dom.setAttribute(attribute, value === true ? "" : String(value));
  }
  for (const attribute of Object.keys(old)) {
    if (!(attribute in next)) dom.removeAttribute(attribute);
  }
}

function setVars(dom, old, next) {
  for (const [variable, value] of Object.entries(next)) {
    if (old[variable] !== value) dom.style.setProperty(variable, value);
  }
}

function setHandlers(dom, handlers) {
  dom.handlers ??= new Map();
  for (const [event, handler] of Object.entries(handlers)) {
    if (!dom.handlers.has(event)) {
      dom.addEventListener(event, (happened) => dom.handlers.get(event)?.(happened));
    }
    dom.handlers.set(event, handler);
  }
  for (const event of dom.handlers.keys()) {
    if (!(event in handlers)) dom.handlers.set(event, undefined);
  }
}
