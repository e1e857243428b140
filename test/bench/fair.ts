import { play } from "../fair/play.ts";
import { type Shape, shapes } from "../fair/shapes.ts";

/**
 * Measures how long a push of one namespace waits while other namespaces attack: `npm run
 * bench:fair [SHAPE]`.
 */
const [, , only] = process.argv;
const crowds = [
  { deployments: 30, namespaces: 1, hosts: 1 },
  { deployments: 60, namespaces: 2, hosts: 2 },
  { deployments: 30, namespaces: 5, hosts: 30 },
  { deployments: 60, namespaces: 20, hosts: 20 },
  { deployments: 40, namespaces: 1, hosts: 40 },
];
const slow = { "lookout.dev/policy": "regex", "lookout.dev/tag-pattern": "(a?){98}a{98}$" };

for (const shape of Object.keys(shapes) as Shape[]) {
  if (only !== undefined && !shape.includes(only)) continue;
  for (const crowd of crowds) {
    const annotations = shape === "2,000 tags for a slow pattern" ? { ...slow, "lookout.dev/policy": "semver" } : {};
    const { waitsMs, memoryMb } = await play({ shape, ...crowd, annotations }).catch((error: unknown) => {
      process.stdout.write(`${String(error)}\n`);
      return { waitsMs: [Infinity], memoryMb: 0 };
    });
    const waits = waitsMs.map((ms) => `${Math.round(ms)}`).join(" ");
    const who = `${crowd.deployments} Deployments, ${crowd.namespaces} namespaces, ${crowd.hosts} hosts`;
    process.stdout.write(`${shape.padEnd(45)} ${who.padEnd(45)} ${waits} ms, ${Math.round(memoryMb)} MB\n`);
  }
}
