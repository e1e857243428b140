import { existsSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseConfiguration } from "#contracts/config/configuration";
import { receiverKinds } from "#contracts/config/receiver-kinds";
import { attributeLabelsKey, baseImageKey, channelSettings, noticeOnly } from "#domain/annotations/notices";
import { containerSettings, keysOfOtherVersions, workloadKeys } from "#domain/settings/setting-keys";
import { gates } from "#domain/gates/index";
import { imageUpdaterKeys } from "#domain/settings/image-updater";
import { annotationPrefix, parseSettings } from "#domain/settings/settings";
import { compile } from "#test/domain/policy/matchers";
import { updateLabelKey } from "#domain/workload/workload";
import { exitCodeMeanings } from "#cli/failure";
import { isServicePolicy } from "#domain/definitions/declared-settings";
import { definitionKinds } from "#domain/definitions/definition";
import { stateFiles } from "#runtime/local/state-files";
import { lookout } from "../cli/world.ts";
import { apiTypesFile } from "../../tools/api-client.ts";
import { apiDocumentFile, apiPageFile, withApiTable } from "../../tools/api-document.ts";
import { chartDefinitionsFile, chartRightsFile } from "../../tools/chart-rights.ts";
import { rightsFile, rightsText } from "../../tools/cluster-manifests.ts";
import { actionsFile, actionsText } from "../../tools/aws-actions.ts";
import { commandsFile, commandsText } from "../../tools/commands.ts";
import { configurationSchemaFile } from "../../tools/configuration-schema.ts";
import { diagram, diagramFile, withDiagram } from "../../tools/diagram.ts";
import { reasonsFile, reasonsText } from "../../tools/reasons.ts";
import { type Block, blocksOf, page, pages, project, proseOf } from "./markdown.ts";

const all = pages().map((one) => ({ ...one, title: one.path }));

/**
 * What a page may name although it is not in the repository: what Lookout writes, and what people
 * have.
 */
const elsewhere = new Set([
  ...["lookout.yaml", "config.json", "./.lookout", "table.db", "node_modules/.cache"],
  ...Object.values(stateFiles),
]);

describe.each(all)("$title", (one) => {
  it("names only paths that exist", () => {
    const named = [
      ...proseOf(one).matchAll(/(?<!`)`([\w.-]+(?:\/[\w.-]+)+\/?|[\w-]+\.(?:ts|js|mjs|md|yaml|json))`(?!`)/g),
    ]
      .map(([, path = ""]) => path)
      .filter((path) => !path.startsWith(annotationPrefix) && !elsewhere.has(path) && looksLikePath(path));

    expect(named.filter((path) => !existsSync(join(project, path)))).toEqual([]);
  });

  it("links only to pages that exist", () => {
    const links = [...proseOf(one).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, path = ""]) => path);

    expect(links.filter((path) => !existsSync(join(project, one.path, "..", path)))).toEqual([]);
  });

  it("mentions only annotations that are known", () => {
    const mentioned = [...one.text.matchAll(/(?<![\w.])lookout\.dev\/([\w.-]*[\w-])/g)].map(([, key = ""]) => key);

    expect([...new Set(mentioned)].filter((key) => !isKnown(key))).toEqual([]);
  });
});

const examples = all.flatMap(blocksOf).filter(({ language }) => language === "yaml");
const configurations = examples.filter(({ text }) => text.startsWith("# lookout.yaml"));
const ofDefinitions = new RegExp(`^kind: (${definitionKinds.join("|")})$`, "m");
const manifests = examples.filter(({ text }) => /^kind: /m.test(text) && !ofDefinitions.test(text));

describe("examples in the documentation", () => {
  it.each(configurations)("$place is a valid configuration", ({ text }) => {
    expect(parseConfiguration(parse(text))).toMatchObject({ ok: true });
  });

  it.each(manifests)("$place has valid annotations", (block) => {
    const { annotations, containers } = manifestOf(block);
    const { enabled, problems } = parseSettings(annotations, containers, compile);
    // Only a cluster has ServiceImages.
    const others = problems.filter(({ value }) => !isServicePolicy(value));

    expect({ enabled, problems: others }).toEqual({ enabled: true, problems: [] });
  });

  it("exist", () => {
    expect(configurations).not.toEqual([]);
    expect(manifests.length).toBeGreaterThanOrEqual(5);
  });
});

describe("the page of annotations", () => {
  const { text } = page("docs/annotations.md");
  const [settings = "", refused = ""] = text.split("## Refused by this version");
  const [, table = ""] = settings.split("## The settings");
  /** These settings are used, and limit nothing. */
  const usedNotices = [...channelSettings, "interval", baseImageKey, attributeLabelsKey];
  const unused = [...noticeOnly.keys()].filter((key) => !usedNotices.some((one) => one === key));

  it("has a row for every setting, and marks the settings of containers", () => {
    const rows = [...table.matchAll(/^\| `lookout\.dev\/([\w-]+)`( †)?/gm)].map(([, key, mark]) => [
      key,
      mark !== undefined,
    ]);

    expect(new Map(rows as [string, boolean][])).toEqual(
      new Map(
        [...workloadKeys, ...usedNotices].map((key) => [key, containerSettings.has(key) || key === attributeLabelsKey]),
      ),
    );
  });

  it("has a row for every annotation of the Kubernetes Image Updater", () => {
    const [, after = ""] = settings.split("## From the Kubernetes Image Updater");
    const [others = ""] = after.split("\n## ");
    const rows = [...others.matchAll(/^\| `([\w-]+)` +\|/gm)].map(([, key]) => key);

    expect(rows).toEqual([...imageUpdaterKeys]);
  });

  it("marks the refused settings of containers", () => {
    const marked = [...refused.matchAll(/`lookout\.dev\/([\w-]+)` †/g)].map(([, key = ""]) => key);

    expect(marked).toEqual([...keysOfOtherVersions, ...unused].filter((key) => containerSettings.has(key)));
  });

  it("names every refused key, and every unused key", () => {
    const keys = [...refused.matchAll(/`lookout\.dev\/([\w-]+)`/g)].map(([, key = ""]) => key);

    expect(new Set(keys)).toEqual(new Set([...keysOfOtherVersions, ...unused]));
  });
});

describe("the documented receivers", () => {
  it("has a row in the page for every kind, and their number in the comparison", () => {
    const [, table = ""] = page("docs/receivers.md").text.split("## Kinds");
    const [rows = ""] = table.split("\n## ");
    const counted = /^\| webhook formats +\| (\d+) +\|/m.exec(page("docs/compared.md").text)?.[1];

    expect([...rows.matchAll(/^- `([\w-]+)`: /gm)].map(([, kind]) => kind)).toEqual(Object.keys(receiverKinds));
    expect(counted).toBe(String(Object.keys(receiverKinds).length));
  });
});

describe("the documented gates", () => {
  it("has a row in the page for every gate, in their order", () => {
    expect([...page("docs/gates.md").text.matchAll(/^- `([\w-]+)`: /gm)].map(([, gate]) => gate)).toEqual(gates);
  });
});

describe("the documented commands", () => {
  it("has a row in the page for every verb, in the order of the help", async () => {
    const { stdout } = await lookout(["--help"], {});
    const [, commands = ""] = /\nSee:\n([\s\S]*?)\nA workload is/.exec(stdout) ?? [];
    const verbs = [...commands.matchAll(/^ {2}([a-z]+)/gm)].map(([, verb]) => verb).filter((verb) => verb !== "help");
    const rows = [...page("docs/commands.md").text.matchAll(/^- `lookout (\w+)/gm)].map(([, verb]) => verb);

    expect([...new Set(rows)]).toEqual(verbs);
  });

  it("has a row in the page for every exit code", () => {
    const [, table = ""] = page("docs/commands.md").text.split("## Exit codes");
    const rows = [...table.matchAll(/^\| (\d) +\| (.*?) +\|$/gm)].map(([, code, meaning]) => [code, meaning]);

    expect(rows).toEqual(Object.entries(exitCodeMeanings));
  });
});

describe("the index of the pages", () => {
  const { text } = page("docs/README.md");
  const [index = ""] = text.split("\n`npm run generate`");

  it("lists every page once, with a description", () => {
    const listed = [...index.matchAll(/^- \[[^\]]+\]\(([^)]+)\): .+[.]$/gm)].map(([, path = ""]) => path);
    const own = all
      .map(({ path }) => path)
      .filter((path) => path !== "docs/README.md" && !path.startsWith("docs/decisions/"))
      .map((path) => relative("docs", path));

    expect([...listed].sort()).toEqual([...own, "decisions"].sort());
  });

  it("names all that npm run generate writes", () => {
    const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const tools = [...(scripts.generate ?? "").matchAll(/tools\/[\w-]+[.]ts/g)].map(([path]) => path);
    const written = [
      actionsFile,
      diagramFile,
      reasonsFile,
      commandsFile,
      configurationSchemaFile,
      apiDocumentFile,
      apiPageFile,
      apiTypesFile,
    ];

    expect(tools).toHaveLength(9);
    expect(
      [...written, rightsFile, chartRightsFile, chartDefinitionsFile].filter((file) => !text.includes(basename(file))),
    ).toEqual([]);
  });
});

describe("generated parts", () => {
  it("show the route table in how-it-works.md; otherwise: npm run generate", () => {
    const { text } = page("docs/how-it-works.md");

    expect(text).toContain(diagram());
    expect(text).toBe(withDiagram(text));
  });

  it("list every path of the API; otherwise: npm run generate", async () => {
    const { text } = page("docs/api.md");

    expect(text).toContain("`GET /v1/workloads`");
    expect(text).toBe(await withApiTable(text));
  });

  it("show the rights and the policy in the example; otherwise: npm run generate", async () => {
    expect(readFileSync(rightsFile, "utf8")).toBe(await rightsText());
  });

  it("list every command; otherwise: npm run generate", async () => {
    expect(page("docs/commands.md").text).toBe(await commandsText());
  });

  it("list every reason; otherwise: npm run generate", async () => {
    expect(page("docs/reasons.md").text).toBe(await reasonsText());
  });

  it("list every action on AWS; otherwise: npm run generate", async () => {
    expect(page("docs/aws-actions.md").text).toBe(await actionsText());
  });
});

/**
 * `Sat,Sun`-like texts have no slash; what has one and is no path names a workload, an image or a
 * message.
 */
function looksLikePath(path: string): boolean {
  const [first = ""] = path.split("/");
  // What runs write is there after them.
  if (first === "reports") return false;
  return !path.includes("/") || existsSync(join(project, first));
}

function isKnown(key: string): boolean {
  if (key === updateLabelKey.slice(annotationPrefix.length) || /^status(\.[\w-]+)?$/.test(key)) return true;
  const scoped = /^(?:container|initContainer|volume)\.[\w-]+\.([\w-]+)$/.exec(key)?.[1];
  if (scoped !== undefined)
    return containerSettings.has(scoped) || scoped === attributeLabelsKey || scoped === "SETTING";
  return workloadKeys.has(key) || keysOfOtherVersions.has(key) || noticeOnly.has(key);
}

interface PodTemplate {
  readonly spec: {
    readonly containers: readonly { readonly name: string; readonly image: string }[];
    readonly initContainers?: readonly { readonly name: string; readonly image: string }[];
  };
}

function manifestOf({ text }: Block) {
  const { metadata, spec } = parse(text) as {
    readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
    readonly spec: {
      readonly template?: PodTemplate;
      readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } };
    };
  };
  const template = spec.template ?? spec.jobTemplate?.spec.template;
  const containers = template?.spec.containers.map((container) => ({ ...container, list: "containers" as const }));
  const initContainers = template?.spec.initContainers?.map((container) => ({
    ...container,
    list: "initContainers" as const,
  }));
  return { annotations: metadata.annotations, containers: [...(containers ?? []), ...(initContainers ?? [])] };
}
