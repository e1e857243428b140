import type { BeforeDeploy, KindBeforeDeploy } from "../answers/before-deploy.ts";
import type { DeployCheck } from "../answers/deploy-check.ts";
import { itemsText } from "../stored-items.ts";
import { checkLines, checksSummary } from "./doctor.ts";
import { hang, type Mark, paintMark, type Style } from "./style.ts";
import { renderTable } from "./table.ts";

/** Returns the lines of {@link comparison}, the next command and the server. */
export function renderBeforeDeploy(view: BeforeDeploy, label: string, style: Style): string {
  const next = view.readsAll
    ? "Next:  lookout backup FILE, then lookout start (after you stopped the running version)"
    : otherVersion;
  return `${comparison(view, style)}\n\n${next}\n${label}\n`;
}

/** The checks of a stack, and the comparison of its stored items if it is deployed. */
interface StackView {
  readonly checks: readonly DeployCheck[];
  readonly forms?: BeforeDeploy;
}

/** Returns the checks, the table of the kinds, the next command and the stack. */
export function renderStackBeforeDeploy(
  { checks, forms }: StackView,
  { mayDeploy, label, style }: { readonly mayDeploy: boolean; readonly label: string; readonly style: Style },
): string {
  const compared = forms === undefined ? [] : [comparison(forms, style), ""];
  const lines = [
    ...checkLines(checks, style),
    "",
    ...compared,
    checksSummary(checks),
    nextOfStack(mayDeploy, forms),
    label,
  ];
  return `${lines.join("\n")}\n`;
}

const otherVersion = "Don't deploy this version. Deploy a version that reads these forms: docs/upgrade.md";

function nextOfStack(mayDeploy: boolean, forms: BeforeDeploy | undefined): string {
  if (forms?.readsAll === false) return otherVersion;
  if (!mayDeploy) return "Don't deploy yet: mend the failed checks, and run the command again.";
  // Without stored items there is nothing to back up.
  return forms === undefined ? "Next:  npm run deploy" : "Next:  lookout backup FILE, then npm run deploy";
}

/** Returns the table of the kinds, and the answers to both questions. */
function comparison(view: BeforeDeploy, style: Style): string {
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
  return [renderTable(headings, rows, style), ...lines].join("\n");
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
