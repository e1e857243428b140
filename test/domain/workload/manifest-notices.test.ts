import { describe, expect, it } from "vitest";
import type { FieldOwner } from "#domain/workload/workload";
import { manifestNotices, type WrittenImage } from "#domain/workload/manifest-notices";

const digest = `sha256:${"1".repeat(64)}`;
const lookout: FieldOwner = { manager: "lookout", operation: "Update" };
const clientSide: FieldOwner = { manager: "kubectl-client-side-apply", operation: "Update" };
const serverSide: FieldOwner = { manager: "kubectl", operation: "Apply" };

function told(container: Partial<WrittenImage>): readonly string[] {
  return manifestNotices({ name: "app", image: `shop/api:1.3.0@${digest}`, ...container });
}

describe("before an update", () => {
  it("a container that is applied server-side has a notice of the conflict", () => {
    expect(told({ imageOwner: serverSide, applied: "shop/api:1.3.0", appliedBy: serverSide })).toEqual([
      'kubectl applies the image of container app server-side: after an update by Lookout, its next apply fails with a conflict with "lookout". Write the running image into the manifest, or leave the image out. --force-conflicts sets the image of the manifest back.',
    ]);
  });

  it.each([
    { because: "its manifest is applied client-side", imageOwner: clientSide },
    { because: "its owner is unknown" },
    { because: "Lookout wrote the image", imageOwner: lookout },
    { because: "Lookout applied the image", imageOwner: { manager: "lookout", operation: "Apply" } as const },
  ])("a container has no notice if $because", ({ because: _, ...container }) => {
    expect(told(container)).toEqual([]);
  });
});

describe("after an update", () => {
  it.each([
    {
      because: "an applied manifest",
      appliedBy: clientSide,
      notice:
        "Container app runs 1.3.0, and the manifest that kubectl-client-side-apply applied names 1.2.0: its next apply sets it back. Write 1.3.0 into the manifest.",
    },
    {
      because: "a manifest that was applied server-side",
      appliedBy: { manager: "helm", operation: "Apply" } as const,
      notice:
        'Container app runs 1.3.0, and the manifest that helm applied server-side names 1.2.0: its next apply fails with a conflict with "lookout". Write 1.3.0 into the manifest, or leave the image out. --force-conflicts sets 1.2.0 back.',
    },
    {
      because: "a person",
      appliedBy: { manager: "kubectl-set", operation: "Update" } as const,
      notice:
        "Container app runs 1.3.0, and kubectl-set wrote 1.2.0 before: the next apply of a manifest with 1.2.0 sets it back. Write 1.3.0 into the manifest.",
    },
    {
      because: "an unknown author",
      appliedBy: undefined,
      notice:
        "Container app runs 1.3.0, and its last author wrote 1.2.0 before: the next apply of a manifest with 1.2.0 sets it back. Write 1.3.0 into the manifest.",
    },
  ])("a container has a notice about an older image of $because", ({ appliedBy, notice }) => {
    const by = appliedBy === undefined ? {} : { appliedBy };
    expect(told({ imageOwner: lookout, applied: "shop/api:1.2.0", ...by })).toEqual([notice]);
    expect(told({ applied: "shop/api:1.2.0", ...by })).toEqual([notice]);
  });

  it("a container's notice shows whole images if their tags are equal or missing", () => {
    const notice = (applied: string, image: string): readonly string[] =>
      told({ imageOwner: lookout, appliedBy: clientSide, applied, image });

    expect(notice("shop/api:latest", `shop/api:latest@${digest}`)).toEqual([
      `Container app runs shop/api:latest@${digest}, and the manifest that kubectl-client-side-apply applied names shop/api:latest: its next apply sets it back. Write shop/api:latest@${digest} into the manifest.`,
    ]);
    expect(notice("shop/UPPER", "shop/api:1.3.0")).toEqual([
      "Container app runs shop/api:1.3.0, and the manifest that kubectl-client-side-apply applied names shop/UPPER: its next apply sets it back. Write shop/api:1.3.0 into the manifest.",
    ]);
  });

  it.each([
    { because: "the manifest names the running image", imageOwner: lookout, applied: `shop/api:1.3.0@${digest}` },
    { because: "somebody else wrote the running image", imageOwner: clientSide, applied: "shop/api:1.2.0" },
  ])("a container has no notice if $because", ({ because: _, ...container }) => {
    expect(told({ appliedBy: clientSide, ...container })).toEqual([]);
  });
});
