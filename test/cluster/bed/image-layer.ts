import { createHash } from "node:crypto";

const blockBytes = 512;

/**
 * Returns a tar archive with one small file. The same seed gives the same bytes.
 *
 * @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html, ustar Interchange
 * Format
 */
export function imageLayer(seed: string): Buffer {
  const content = Buffer.from(`${seed}\n${createHash("sha256").update(seed).digest("hex")}\n`);
  const header = Buffer.alloc(blockBytes);
  header.write("seed.txt", 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(content.length, 11), 124);
  header.write(octal(0, 11), 136);
  header.write("0", 156);
  header.write("ustar\u{0}00", 257);
  // For the checksum, the field of the checksum counts as eight spaces.
  header.write(" ".repeat(8), 148);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, "0")}\u{0} `, 148);
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
  return Buffer.concat([header, content, padding, Buffer.alloc(2 * blockBytes)]);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
