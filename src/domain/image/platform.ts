/**
 * Returns the wanted platforms that an image does not offer, in the order wanted.
 *
 * `linux/arm64/v8` equals `linux/arm64`, and `amd64/v1` equals `amd64`. `linux/arm` matches each of
 * its variants. Any other platform matches only itself.
 */
export function missingPlatforms(wanted: readonly string[], offered: readonly string[]): readonly string[] {
  const offers = offered.map(withoutUsualVariant);
  return wanted.filter((platform) => !offers.some((offer) => suits(withoutUsualVariant(platform), offer)));
}

/** Returns a platform without the variant that each processor of its architecture has. */
function withoutUsualVariant(platform: string): string {
  return platform.replace(/\/arm64\/v8$/, "/arm64").replace(/\/amd64\/v1$/, "/amd64");
}

function suits(wanted: string, offer: string): boolean {
  return wanted === offer || (wanted === "linux/arm" && offer.startsWith("linux/arm/"));
}
