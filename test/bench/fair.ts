import { parseArgs } from "node:util";
import { alignedText, writeSections } from "../../tools/page-sections.ts";
import { play } from "../fair/play.ts";
import { type Shape, shapes } from "../fair/shapes.ts";
import { conditionsOf } from "./conditions.ts";

const help = `Measures how long a push of one namespace waits while other namespaces attack.

  --only TEXT   only the attacks whose name has this text
  --note TEXT   a remark about the machine
  --write       write the figures to docs/benchmarks.md`;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    note: { type: "string" },
    write: { type: "boolean" },
    help: { type: "boolean" },
  },
});

const crowds = [
  { deployments: 30, namespaces: 1, hosts: 1 },
  { deployments: 60, namespaces: 2, hosts: 2 },
  { deployments: 30, namespaces: 5, hosts: 30 },
  { deployments: 60, namespaces: 20, hosts: 20 },
  { deployments: 40, namespaces: 1, hosts: 40 },
];

const annotationsOf: Partial<Record<Shape, Readonly<Record<string, string>>>> = {
  "2,000 tags for a slow pattern": { "lookout.dev/tag-pattern": "(a?){98}a{98}$" },
};

if (values.help === true) process.stderr.write(`${help}\n`);
else {
  const conditions = conditionsOf(values.note);
  const lines: string[][] = [["attack", "Deployments", "namespaces", "hosts", "five pushes, ms", "MB"]];
  for (const shape of Object.keys(shapes) as Shape[]) {
    if (!shape.includes(values.only)) continue;
    for (const crowd of crowds) {
      const { waitsMs, memoryMb } = await play({ shape, ...crowd, annotations: annotationsOf[shape] ?? {} });
      const counts = [crowd.deployments, crowd.namespaces, crowd.hosts].map(String);
      const line = [shape, ...counts, waitsMs.map(Math.round).join(" "), String(Math.round(memoryMb))];
      process.stderr.write(`${line.join("  ")}\n`);
      lines.push(line);
    }
  }
  const text = `${conditions}\n\n${alignedText(lines)}`;
  if (values.write === true) await writeSections("benchmarks.md", { fair: text });
  process.stdout.write(`${text}\n`);
}
