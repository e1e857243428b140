import type { ReloadView } from "#contracts/api/process";
import { hang, type Style, paintMark } from "./style.ts";
import { clock, relative } from "./time.ts";

/** Returns a line for each file that needs a user. */
export function reloadLines(reloads: readonly ReloadView[] | undefined, style: Style): readonly string[] {
  return (reloads ?? []).flatMap((reload) => {
    const found = problemOf(reload, style);
    return found === undefined ? [] : [`${hang(`${paintMark(found.mark, style)} `, found.text, style)}\n`];
  });
}

function problemOf(
  { file, loadedAt, failure, doubt, needsRestart }: ReloadView,
  style: Style,
): { readonly mark: "✗" | "!"; readonly text: string } | undefined {
  if (failure !== undefined) {
    const since = `since ${clock(failure.at, style)} (${relative(failure.at, style)})`;
    const former = `the content of ${clock(loadedAt, style)} stays in force`;
    return { mark: "✗", text: `${file} can't be used ${since}, so ${former}: ${failure.detail}` };
  }
  if (doubt !== undefined) return { mark: "✗", text: `${file}: ${doubt}` };
  if (needsRestart !== undefined) return { mark: "!", text: `${file} needs a restart: ${needsRestart.join(", ")}` };
  return undefined;
}
