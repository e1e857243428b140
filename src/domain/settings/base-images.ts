import { listed, type ReadValue } from "../annotations/setting-values.ts";
import { type ImageName, imageNameOf, impliedTag, parseImageReference } from "../image/reference.ts";
import { ok, problem } from "../shared/result.ts";

/** A tag from which an image of the workload is built. */
export interface BaseImage {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
}

const mostBaseImages = 10;
const form = "expected images with a tag, such as registry.example.com/base/java:21";

/** Parses base images, separated by commas. A digest never moves, so it is a problem. */
export const readBaseImages: ReadValue<readonly BaseImage[]> = (text) => {
  const texts = listed(text);
  if (texts.length === 0) return problem(form);
  if (texts.length > mostBaseImages)
    return problem(`${texts.length} base images, and at most ${mostBaseImages} are allowed`);
  const images = new Map<string, BaseImage>();
  for (const [index, one] of texts.entries()) {
    const place = texts.length === 1 ? "" : `image ${index + 1}: `;
    const parsed = parseImageReference(one);
    if (!parsed.ok) return problem(`${place}${parsed.problem.message}`);
    const { registry, repository, tag = impliedTag, digest } = parsed.value;
    if (registry === "") return problem(`${place}the registry is not a host: ${form}`);
    if (digest !== undefined) return problem(`${place}a digest never moves: ${form}`);
    images.set(baseImageText({ registry, repository, tag }), { registry, repository, tag });
  }
  return ok([...images.values()]);
};

/** Returns a base image as one text: `docker.io/library/node:22`. */
export function baseImageText({ tag, ...name }: BaseImage): string {
  return `${imageNameOf(name)}:${tag}`;
}

/** Returns whether a base image is in a repository. */
export function isInRepository({ registry, repository }: BaseImage, imageName: ImageName): boolean {
  return imageNameOf({ registry, repository }) === imageName;
}
