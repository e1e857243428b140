import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { AccessOptions } from "#cli/manifests/cluster-manifests";
import { clusterManifests } from "#cli/manifests/cluster-manifests";
import type { ClusterManifest } from "#cli/manifests/admission-policy";
import { manifestsText } from "#cli/render/manifests";

/** The template with Lookout's rights in the Helm chart. */
export const chartRightsFile = fileURLToPath(new URL("../deploy/chart/templates/rights.yaml", import.meta.url));

const namespace = "namespace-of-release";
const account = "account-of-release";
const subjects = [{ kind: "ServiceAccount", namespace, name: account }] as const;

type Choice = "deletePods" | "readNodes";

/** Returns the chart's template with the objects that `lookout cluster manifests` prints. */
export async function chartRightsText(): Promise<string> {
  const plain = rights({ deletePods: false, readNodes: false });
  const deleting = rights({ deletePods: true, readNodes: false });
  const reading = rights({ deletePods: false, readNodes: true });
  const role = await textOf(plain.role);
  const documents = [
    role +
      added(role, await textOf(deleting.role), "deletePods") +
      added(role, await textOf(reading.role), "readNodes"),
    ...(await Promise.all(
      plain.others.map(async (other, index) => either(await textOf(deleting.others[index]), await textOf(other))),
    )),
  ];
  const text = documents.join("---\n");
  return `{{- /* npm run generate writes this file: the objects of \`lookout cluster manifests\`. */}}
{{- if .Values.rights.create }}
${text
  .replaceAll(`: ${namespace}\n`, ": {{ .Release.Namespace | quote }}\n")
  .replaceAll(`: ${account}\n`, `: {{ include "lookout.serviceAccountName" . | quote }}\n`)
  .replaceAll(namespace, "{{ .Release.Namespace }}")
  .replaceAll(account, `{{ include "lookout.serviceAccountName" . }}`)}{{- end }}
`;
}

/** Returns the role, and the objects after it. The chart has a template of its own for the account. */
function rights(choices: Pick<AccessOptions, Choice>): {
  readonly role: ClusterManifest | undefined;
  readonly others: readonly ClusterManifest[];
} {
  const manifests = clusterManifests({ subjects, ...choices });
  const [role, ...others] = manifests.slice(manifests.findIndex(({ object }) => object["kind"] === "ClusterRole"));
  return { role, others };
}

/** Returns a manifest without its comment, which would be about one of the choices. */
async function textOf(manifest: ClusterManifest | undefined): Promise<string> {
  return manifest === undefined ? "" : manifestsText([{ about: [], object: manifest.object }]);
}

/** Returns the lines that a choice adds at the end of an object. */
function added(without: string, chosen: string, choice: Choice): string {
  if (!chosen.startsWith(without)) throw new Error(`${choice} changes the role, instead of adding rules at its end`);
  return inCase(choice, chosen.slice(without.length));
}

/** Returns an object with the lines that differ, if Lookout may delete pods and if not. */
function either(deleting: string, plain: string): string {
  if (deleting === plain) return plain;
  const [ours, theirs] = [deleting.split("\n"), plain.split("\n")];
  const first = ours.findIndex((line, index) => line !== theirs[index]);
  const last = ours.findLastIndex((line, index) => line !== theirs[index - ours.length + theirs.length]);
  const end = last + 1 - ours.length;
  const lines = (all: readonly string[]): string =>
    all
      .slice(first, all.length + end)
      .map((line) => `${line}\n`)
      .join("");
  const before = ours
    .slice(0, first)
    .map((line) => `${line}\n`)
    .join("");
  return `${before}${inCase("deletePods", lines(ours), lines(theirs))}${ours.slice(last + 1).join("\n")}`;
}

function inCase(choice: Choice, then: string, otherwise?: string): string {
  const other = otherwise === undefined ? "" : `{{- else }}\n${otherwise}`;
  return `{{- if .Values.rights.${choice} }}\n${then}${other}{{- end }}\n`;
}

if (import.meta.main) await writeFile(chartRightsFile, await chartRightsText());
