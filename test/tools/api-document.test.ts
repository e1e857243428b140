import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { factOf, factView } from "#contracts/messages/fact-view";
import { factsOf } from "#domain/update/effects/facts";
import { apiDocumentFile, apiDocumentText, endpointsFile, endpointsText } from "../../tools/api-document.ts";
import { deployment, firstRecord } from "#test/contracts/records";

it("the published API document is current; if not: npm run generate", async () => {
  expect(await readFile(apiDocumentFile, "utf8")).toBe(await apiDocumentText());
});

it("the endpoints of the command are current; if not: npm run generate", async () => {
  expect(await readFile(endpointsFile, "utf8")).toBe(await endpointsText());
});

it("every operation of the API has its own name", async () => {
  const names = [...(await apiDocumentText()).matchAll(/"operationId": "(\w+)"/g)].map(([, name]) => name);

  expect(names.length).toBeGreaterThan(30);
  expect(names).toEqual([...new Set(names)]);
});

it("every reference in the document has a target", async () => {
  const text = await apiDocumentText();
  const { components } = JSON.parse(text) as { readonly components: { readonly schemas: object } };
  const references = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name);

  expect(references.filter((name) => !(name in components.schemas))).toEqual([]);
});

it("a fact is equal after its JSON is parsed", () => {
  const facts = factsOf({
    ...firstRecord(deployment("api")),
    transitions: [
      {
        seq: 1,
        what: "held",
        changes: [],
        reasons: [{ reason: "window-closed", until: 1_795_000_000_000 as never }, { reason: "suspended" }],
        detectedAt: 1_794_000_000_000 as never,
      },
    ],
  });

  expect(facts).toHaveLength(1);
  expect(facts.map(factView).map(factOf)).toEqual(facts);
});
