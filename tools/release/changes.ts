/**
 * Returns the section of a version in the changelog.
 *
 * @throws Error without such a section
 */
export function changesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.split("\n")[0]?.trim() === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}": write what changed`);
  return `## ${section.trimEnd()}\n`;
}
