import type { CreatedTokenView, TokensView, TokenView } from "#contracts/api/tokens";
import { scopeText } from "#domain/access/scope";
import { parseInstant } from "#domain/shared/time";
import type { Style } from "./style.ts";
import { renderTable } from "./table.ts";
import { relative } from "./time.ts";

/** Returns a table of the personal tokens. */
export function renderTokens({ tokens }: TokensView, style: Style): string {
  if (tokens.length === 0) return "There are no personal tokens. To make one:  lookout token create NAME --role ROLE\n";
  const rows = tokens.map((token) => [
    token.name,
    token.id,
    token.role,
    scopeText(token),
    endText(token, style),
    token.lastUsedAt === undefined ? "never" : relative(token.lastUsedAt, style),
  ]);
  return renderTable(["NAME", "ID", "ROLE", "SCOPE", "ENDS", "LAST USED"], rows, style);
}

function endText({ revokedAt, expiresAt }: TokenView, style: Style): string {
  if (revokedAt !== undefined) return `revoked ${relative(revokedAt, style)}`;
  if (expiresAt === undefined) return "never";
  const isOver = (parseInstant(expiresAt) ?? 0) <= style.now;
  return isOver ? `expired ${relative(expiresAt, style)}` : relative(expiresAt, style);
}

/** Returns a new token with its instructions. */
export function createdText({ text, ...token }: CreatedTokenView): string {
  const { name, role } = token;
  return [
    `The token of ${name}: ${role} of ${scopeText(token)}. Lookout shows this token only once:`,
    "",
    `  ${text}`,
    "",
    `${name} stores it in a file that nobody else can read, and sets:`,
    "",
    "  export LOOKOUT_SERVER=https://LOOKOUT LOOKOUT_TOKEN_FILE=FILE",
    "",
    ...(role === "viewer" ? [] : votingLines(name)),
  ].join("\n");
}

function votingLines(name: string): readonly string[] {
  return [
    `So that the votes of ${name} count, the owner of lookout.yaml adds:`,
    "",
    "  people:",
    `    - name: ${name}`,
    `      token: ${name}`,
    "",
  ];
}
