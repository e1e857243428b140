import type { BeforeDeploy, KindBeforeDeploy } from "../answers/before-deploy.ts";
import { itemsText } from "../stored-items.ts";
import { hang, type Mark, paintMark, type Style } from "./style.ts";
import { renderTable } from "./table.ts";

/** Returns the table of the kinds, the answers to both questions, the next command and the server. */
export function renderBeforeDeploy(view: BeforeDeploy, isStack: boolean, label: string, style: Style): string {
  const rows = view.kinds.map((kind) => [
    kind.kind,
    storedText(kind),
    formsText(kind.running),
    formsText(kind.new),
    resultText(kind, style),
  ]);
  const headings = ["KIND", "STORED", `RUNNING ${view.runningVersion}`, `NEW ${view.newVersion}`, "RESULT"];
  const lines = [readLine(view), rollbackLine(view), ...damagedLine(view)].map(([mark, text]) =>
    hang(`${paintMark(mark, style)} `, text, style),
  );
  return `${renderTable(headings, rows, style)}\n${[...lines, "", nextText(view, isStack), label].join("\n")}\n`;
}

function storedText({ stored }: KindBeforeDeploy): string {
  return stored.length === 0 ? "–" : stored.map(({ form, items }) => `${items} of ${formText(form)}`).join(", ");
}

function formText(form: number): string {
  return form === 0 ? "no form" : `form ${form}`;
}

function formsText(forms: KindBeforeDeploy["running"]): string {
  if (forms === undefined) return "unknown kind";
  const { writes, reads } = forms;
  return reads === writes ? `form ${writes}` : `form ${writes}, reads ${reads}`;
}

function resultText({ unreadable, allowsRollback }: KindBeforeDeploy, style: Style): string {
  if (unreadable.length > 0) return `${paintMark("✗", style)} can't read ${unreadable.map(formText).join(", ")}`;
  return allowsRollback ? `${paintMark("✓", style)} reads all` : `${paintMark("!", style)} no roll-back`;
}

type Line = readonly [mark: Mark, text: string];

function readLine({ newVersion, items, readsAll, kinds }: BeforeDeploy): Line {
  if (readsAll) return ["✓", `The new version ${newVersion} reads all ${itemsText(items)}.`];
  const wrong = kinds.flatMap(({ kind, unreadable }) =>
    unreadable.length === 0 ? [] : [`${kind} (${unreadable.map(formText).join(", ")})`],
  );
  return ["✗", `The new version ${newVersion} can't read: ${wrong.join("; ")}.`];
}

function rollbackLine({ runningVersion, newVersion, allowsRollback, kinds }: BeforeDeploy): Line {
  if (allowsRollback)
    return [
      "✓",
      `A roll-back stays possible: the running version ${runningVersion} reads everything that the new version writes.`,
    ];
  const wrong = kinds.flatMap((one) =>
    one.allowsRollback || one.new === undefined ? [] : [`${one.kind} (${formText(one.new.writes)})`],
  );
  return [
    "!",
    `A roll-back is not possible without a backup: the running version ${runningVersion} can't read what ${newVersion} writes: ${wrong.join("; ")}.`,
  ];
}

function damagedLine({ unreadableNow, runningVersion }: BeforeDeploy): readonly Line[] {
  if (unreadableNow === 0) return [];
  return [
    ["!", `The running version ${runningVersion} can't read ${itemsText(unreadableNow)}: look at lookout doctor`],
  ];
}

function nextText({ readsAll }: BeforeDeploy, isStack: boolean): string {
  if (!readsAll) return "Don't deploy this version. Deploy a version that reads these forms: docs/upgrade.md";
  const deploy = isStack ? "npm run deploy" : "lookout start (after you stopped the running version)";
  return `Next:  lookout backup FILE, then ${deploy}`;
}
