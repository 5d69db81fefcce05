// Shown to whoever is not signed in.

import { signIn } from "./actions.js";
import { button, failure, heading } from "./parts.js";
import { languageChoice, logo } from "./view-shell.js";
import { h } from "./vdom.js";
import { t } from "./words.js";

export function signInPage({ signIn: form }) {
  return h(
    "main",
    { class: "sign-in", id: "main", tabindex: "-1", key: "sign-in" },
    h(
      "div",
      { class: "card" },
      logo(),
      heading(t("sign-in.lead")),
      ["expired", "unwritten", "ended"].includes(form.told) && failure(t(`sign-in.${form.told}`)),
      h("p", null, t("sign-in.how")),
      h("pre", null, "ayeaye ui"),
      h("p", { class: "divider" }, h("span", null, t("sign-in.or"))),
      h(
        "form",
        { on: { submit: send } },
        h("label", { class: "label", for: "token" }, t("sign-in.token")),
        h(
          "div",
          { class: "joined" },
          h("input", {
            id: "token",
            name: "token",
            type: "password",
            autocomplete: "current-password",
            required: true,
            maxlength: "4096",
            "aria-describedby": "token-where",
            disabled: form.busy,
          }),
          button(t("sign-in"), { type: "submit", style: "primary", disabled: form.busy }),
        ),
        failure(form.error),
      ),
      h("p", { id: "token-where", class: "faint small" }, t("sign-in.where")),
    ),
    languageChoice(),
  );
}

function send(event) {
  event.preventDefault();
  signIn(event.currentTarget.elements.token.value.trim());
}
