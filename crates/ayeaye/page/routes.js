// What is shown is in the address, behind the `#`: links, back and forward work, and the server is told nothing.

const PAGES = new Set(["phones", "history", "policy", "settings"]);

/// The route that an address's fragment names; what it does not know is the first page.
export function parse(hash) {
  const parts = hash.replace(/^#\/?/, "").split("/").map(decode);
  if (parts[0] === "session" && parts[1]) return { page: "session", session: parts[1] };
  if (parts[0] === "phone" && parts[1]) return { page: "phone", device: parts[1] };
  if (parts[0] === "compare" && parts[1] && parts[2]) return { page: "compare", sessions: [parts[1], parts[2]] };
  return { page: PAGES.has(parts[0]) ? parts[0] : "phones" };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

export const link = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

export const go = (...parts) => {
  location.hash = link(...parts);
};

/// The sessions whose steps a route shows.
export function shown(route) {
  if (route.page === "session") return [route.session];
  return route.page === "compare" ? route.sessions : [];
}
