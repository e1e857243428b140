import { describe, expect, it } from "vitest";
import { hostMayBePublic, isPublicAddress } from "#adapters/shared/public-address";

describe("an address", () => {
  it.each(["1.1.1.1", "172.15.255.255", "172.32.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::200e"])(
    "%s is public",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    { address: "0.0.0.0", because: "this machine" },
    { address: "10.1.2.3", because: "private" },
    { address: "100.64.0.1", because: "shared by a provider" },
    { address: "127.0.0.2", because: "this machine" },
    { address: "169.254.169.254", because: "the metadata service" },
    { address: "172.16.0.1", because: "private" },
    { address: "172.31.255.255", because: "private" },
    { address: "192.168.0.1", because: "private" },
    { address: "198.18.0.1", because: "for measurements" },
    { address: "224.0.0.1", because: "a group" },
    { address: "255.255.255.255", because: "everybody nearby" },
    { address: "::", because: "this machine" },
    { address: "::1", because: "this machine" },
    { address: "::ffff:8.8.8.8", because: "IPv4 in disguise" },
    { address: "64:ff9b::808:808", because: "IPv4 behind NAT64" },
    { address: "2001::1", because: "IPv4 by Teredo" },
    { address: "2002:808:808::1", because: "IPv4 by 6to4" },
    { address: "2001:db8::1", because: "for documents" },
    { address: "fd00:ec2::254", because: "the metadata service" },
    { address: "fe80::1", because: "of one link" },
    { address: "ff02::1", because: "a group" },
    { address: "localhost", because: "a name" },
    { address: "8.8.8", because: "no address" },
  ])("$address is not public: $because", ({ address }) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("a host name", () => {
  it.each([
    { url: "https://registry.example.com", may: true },
    { url: "https://1.1.1.1", may: true },
    { url: "https://[2606:4700::1111]", may: true },
    { url: "https://0x7f.1", may: false },
    { url: "https://2130706433", may: false },
    { url: "https://[::ffff:127.0.0.1]", may: false },
  ])("$url may be public: $may", ({ url, may }) => {
    expect(hostMayBePublic(new URL(url))).toBe(may);
  });
});
