import * as z from "zod";
import { filePath } from "./fields.ts";

const anAddress = '"host:port", for example "127.0.0.1:4040" or "[::1]:4040"';

/** The address without a setting. */
export const usualAddress = "127.0.0.1:4040";

/** An address to listen on, and the files for HTTPS. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** The schema of a server's address. The host has no brackets, even for IPv6. */
const hostAndPort = z.string(anAddress).transform((text, context): ListenAddress => {
  const [, address, name, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = address ?? name;
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  context.addIssue({ code: "invalid_format", format: "address", message: anAddress });
  return z.NEVER;
});

const addressAndFiles = z
  .strictObject(
    {
      address: hostAndPort.prefault(usualAddress).describe("The address: host:port."),
      certFile: filePath("the path of the certificate")
        .exactOptional()
        .describe(
          "The file with the certificate for HTTPS, in PEM, then the certificates of its issuers. Relative to lookout.yaml.",
        ),
      keyFile: filePath("the path of the certificate's private key")
        .exactOptional()
        .describe("The file with the private key of the certificate, in PEM without a password."),
    },
    `${anAddress}, or a mapping with address, certFile and keyFile`,
  )
  .superRefine(({ certFile, keyFile }, context) => {
    if ((certFile === undefined) === (keyFile === undefined)) return;
    const [has, lacks] = certFile === undefined ? ["keyFile", "certFile"] : ["certFile", "keyFile"];
    context.addIssue({ code: "custom", path: [has], message: `needs ${lacks} too, because HTTPS needs both files` });
  })
  .meta({ dependentRequired: { certFile: ["keyFile"], keyFile: ["certFile"] } })
  .transform(({ address, ...files }) => ({ ...address, ...files }));

/** The schema of `listen`: an address, or an address with the files for HTTPS. */
export const Listen = z.union(
  [hostAndPort, addressAndFiles],
  `${anAddress}, or a mapping with address, certFile and keyFile`,
);
