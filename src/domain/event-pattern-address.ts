import { ok, problem, type Result } from "./result.ts";

/** An address of IP. One of version 4 that is written in version 6 (`::ffff:a00:1`) is one of version 4. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** The addresses that begin with the same bits. */
export interface AddressRange {
  readonly first: Address;
  /** How many bits all of them share. */
  readonly shared: number;
}

/** Reads an address: four decimal numbers, or groups of hexadecimal ones without a zone; undefined for any other text. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(":") ? parseVersion6(text) : parseVersion4(text);
}

function parseVersion4(text: string): Address | undefined {
  // As long as such an address can be, leading zeros included.
  if (text.length > 15 || !/^\d+\.\d+\.\d+\.\d+$/.test(text)) return undefined;
  const numbers = text.split(".").map(Number);
  return numbers.some((number) => number > 0xff) ? undefined : { bits: 32, value: joined(numbers, 8n) };
}

function parseVersion6(text: string): Address | undefined {
  if (!/^[\da-f:]+$/i.test(text)) return undefined;
  const [before = "", after, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const [left, right] = [groupsOf(before), groupsOf(after ?? "")];
  if (left === undefined || right === undefined) return undefined;
  const zeros = 8 - left.length - right.length;
  if (after === undefined ? zeros !== 0 : zeros < 1) return undefined;
  const value = joined([...left, ...Array.from({ length: zeros }, () => 0), ...right], 16n);
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffff_ffffn } : { bits: 128, value };
}

function groupsOf(text: string): readonly number[] | undefined {
  if (text === "") return [];
  const groups = text.split(":").map((group) => Number.parseInt(group, 16));
  return groups.every((group) => group <= 0xffff) ? groups : undefined;
}

function joined(numbers: readonly number[], bits: bigint): bigint {
  return numbers.reduce((value, number) => (value << bits) | BigInt(number), 0n);
}

/** Reads a range in the notation of CIDR; bits of the address behind the mask say nothing. A mask of the whole address is refused. */
export function parseAddressRange(text: string): Result<AddressRange, string> {
  const [, written = "", mask] = /^([^/]*)\/\+?(\d{1,9})$/.exec(text) ?? [];
  if (mask === undefined) return problem("not a range of addresses (expected ADDRESS/BITS, for example 10.0.0.0/24)");
  const first = parseAddress(written);
  if (first === undefined) return problem(`"${written}" is not an address of IP`);
  const shared = Number(mask);
  if (shared < first.bits) return ok({ first, shared });
  return problem(
    `a mask of ${mask} bits (expected 0 to ${first.bits - 1}; an address alone is written without a mask)`,
  );
}

/** Says whether an address is in a range; one of the other version never is. */
export function isInRange({ bits, value }: Address, { first, shared }: AddressRange): boolean {
  const others = BigInt(first.bits - shared);
  return bits === first.bits && value >> others === first.value >> others;
}
