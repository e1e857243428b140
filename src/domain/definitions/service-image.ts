import { imageNameOf, parseImageReference } from "../image/reference.ts";
import { briefJson, isObject } from "../shared/json.ts";
import { ok, problem, type Result } from "../shared/result.ts";
import { printableText } from "../shared/shown-text.ts";
import { longestImage } from "./image-policy.ts";
import type { Declared, DeclaredTier, DefinitionFault, DefinitionObject, FaultReason } from "./definition.ts";

/** The most tiers. Each update reads all earlier ones. */
const mostTiers = 20;
const largestPriority = 2 ** 31 - 1;
const labelValue = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** Returns what a ServiceImage declares. A wrong field closes the service, and says which field is wrong. */
export function declaredByService(object: DefinitionObject, cluster: string): Declared {
  const { kind, namespace, name, uid, createdAt, generation } = object;
  const declared = { kind, cluster, namespace, name, uid, createdAt, generation, settings: {} };
  const read = tiersOf(isObject(object.spec) ? object.spec : {});
  return read.ok ? { ...declared, ...read.value } : { ...declared, fault: read.problem };
}

/** Returns whether workloads of a service may not be in their tiers yet. */
export function awaitsPlaces({ tiers, isPlaced }: Declared): boolean {
  return tiers !== undefined && isPlaced !== true;
}

/** Returns whether the lower tiers of a service wait, because its workloads may not be in their tiers yet. */
export function isUnplaced(declared: Declared): boolean {
  return awaitsPlaces(declared) && new Set(declared.tiers?.map(({ priority }) => priority)).size > 1;
}

type Read<Value> = Result<Value, DefinitionFault>;

function faulty(reason: FaultReason, place: string, message: string): Read<never> {
  return problem({ reason, place: `spec.${place}`, message });
}

interface Service {
  readonly imageName: string;
  readonly tiers: readonly DeclaredTier[];
}

type Parts = Readonly<Record<string, unknown>>;

function tiersOf({ defaultImage, tiers = [] }: Parts): Read<Service> {
  if (!Array.isArray(tiers) || tiers.length > mostTiers)
    return faulty("InvalidTiers", "tiers", `expected a list of at most ${String(mostTiers)} tiers`);
  // Without tiers, all workloads are in one.
  const written: readonly unknown[] = tiers.length === 0 ? [{}] : tiers;
  let service: Service | undefined;
  for (const [index, tier] of written.entries()) {
    const read = tierOf(isObject(tier) ? tier : {}, `tiers[${String(index)}]`, service, defaultImage);
    if (!read.ok) return read;
    const { imageName, ...own } = read.value;
    service = { imageName, tiers: [...(service?.tiers ?? []), own] };
  }
  if (service === undefined) return faulty("InvalidTiers", "tiers", "expected at least one tier");
  return ok({ ...service, tiers: service.tiers.toSorted((one, other) => other.priority - one.priority) });
}

/** Returns a tier, with the repository of its image. All tiers of a service have one repository. */
function tierOf(
  { upgradeTier = "", image, priority = 0 }: Parts,
  place: string,
  service: Service | undefined,
  defaultImage: unknown,
): Read<DeclaredTier & Pick<Service, "imageName">> {
  const wrong = wrongTier({ upgradeTier, priority }, place, service);
  if (wrong !== undefined) return wrong;
  const isOwn = image !== undefined && image !== "";
  const named = isOwn ? imageOf(image, `${place}.image`) : imageOf(defaultImage, "defaultImage");
  if (!named.ok) return named;
  const { imageName, tag } = named.value;
  if (service !== undefined && service.imageName !== imageName)
    return faulty(
      "InvalidImage",
      `${place}.image`,
      `${imageName}: expected ${service.imageName}, as in the first tier`,
    );
  return ok({ upgradeTier: String(upgradeTier), priority: Number(priority), tag, imageName });
}

/** Returns what is wrong with the label or the priority of a tier. Undefined if nothing is. */
function wrongTier({ upgradeTier, priority }: Parts, place: string, service: Service | undefined) {
  if (typeof upgradeTier !== "string" || !labelValue.test(upgradeTier))
    return faulty("InvalidTiers", `${place}.upgradeTier`, `${shown(upgradeTier)}: expected the value of a label`);
  if (service?.tiers.some((one) => one.upgradeTier === upgradeTier) === true)
    return faulty("InvalidTiers", `${place}.upgradeTier`, `${shown(upgradeTier)}: an earlier tier has it already`);
  if (Number.isInteger(priority) && Math.abs(Number(priority)) <= largestPriority) return undefined;
  return faulty("InvalidTiers", `${place}.priority`, `${shown(priority)}: expected a whole number`);
}

function imageOf(image: unknown, place: string): Read<{ readonly imageName: string; readonly tag: string }> {
  const read = typeof image === "string" && image.length <= longestImage ? parseImageReference(image) : undefined;
  if (read?.ok === true && read.value.tag !== undefined && read.value.digest === undefined)
    return ok({ imageName: imageNameOf(read.value), tag: read.value.tag });
  const expected = "expected an image with a tag and without a digest, such as registry.example.com/dicom:v2";
  return faulty("InvalidImage", place, `${shown(image)}: ${expected}`);
}

function shown(value: unknown): string {
  return value === undefined ? "is missing" : printableText(briefJson(value));
}
