/** The tags of an image, and what a person would say of the running tag. Written without a look at the product. */
export interface Habit {
  readonly running: string;
  readonly others: string;
  /** The newest patch, minor and major; `-` for none. */
  readonly ahead?: string;
  /** What a person says of the tag. Default: `behind`. */
  readonly says?: "behind" | "newest" | "moves" | "no-version";
}

export const habits: readonly Habit[] = [
  { running: "16", others: "15 17 17.0 18beta1 latest alpine", ahead: "- - 17" },
  { running: "16.3", others: "16.2 16.4 17.0 17 17.0-bookworm", ahead: "- 16.4 17.0" },
  {
    running: "16.3-alpine",
    others: "16.4-alpine 17.0-alpine 16.4-alpine3.20 16.4",
    ahead: "- 16.4-alpine 17.0-alpine",
  },
  { running: "16.3-alpine3.19", others: "16.3-alpine3.20 16.4-alpine3.20", says: "newest" },
  { running: "8.4.1", others: "8.0.38 8.4.2 9.0.1 8.4 lts innovation", ahead: "8.4.2 - 9.0.1" },
  {
    running: "8.4.1-oracle9",
    others: "8.4.2-oracle9 9.0.1-oracle9 8.4.3-oracle",
    ahead: "8.4.2-oracle9 - 9.0.1-oracle9",
  },
  {
    running: "11.4.2-noble",
    others: "11.4.3-noble 11.4.3-ubi9 11.6-rc-noble 12.0.1-noble",
    ahead: "11.4.3-noble - 12.0.1-noble",
  },
  { running: "7.0.12-jammy", others: "7.0.14-jammy 8.0.0-noble 8.0.0-rc15-jammy", ahead: "7.0.14-jammy - -" },
  {
    running: "7.2.5-alpine",
    others: "7.2.6-alpine 7.4.0-alpine 7.4.0-alpine3.20 8.0.0-alpine",
    ahead: "7.2.6-alpine 7.4.0-alpine 8.0.0-alpine",
  },
  { running: "v24.1.2", others: "v23.2.9 v24.1.3 v24.2.0-rc.1 v25.1.0 latest-v24.1", ahead: "v24.1.3 - v25.1.0" },
  {
    running: "24.3.6.48",
    others: "24.3.5.46 24.3.9.5 24.7.2.13 25.1.1.1 24.7.2 head",
    ahead: "24.3.9.5 24.7.2.13 25.1.1.1",
  },
  { running: "5.22.0-community", others: "5.23.0-community 5.23.0-enterprise 5.24.0", ahead: "- 5.23.0-community -" },
  { running: "2.16.0-pg16", others: "2.16.1-pg16 2.16.1-pg15 2.17.0-pg17 2.16.2-pg16-oss", ahead: "2.16.1-pg16 - -" },
  { running: "latest-pg16", others: "latest-pg17 2.16.1-pg16", says: "moves" },
  { running: "15.1.1.78", others: "15.1.1.61 15.8.1.020 17.0.1.013-orioledb", ahead: "- 15.8.1.020 -" },
  { running: "1.6.28-alpine3.20", others: "1.6.30-alpine3.20 1.6.31-alpine3.21", ahead: "1.6.30-alpine3.20 - -" },
  { running: "1.27", others: "1.26 1.28 1.28.1 1.29.0 mainline", ahead: "- 1.28 -" },
  {
    running: "1.27.0-alpine",
    others: "1.27.1-alpine 1.27.2-alpine-slim 1.27.2-alpine-perl 1.28.0-alpine",
    ahead: "1.27.1-alpine 1.28.0-alpine -",
  },
  { running: "stable-alpine", others: "1.26.2-alpine mainline-alpine", says: "moves" },
  { running: "latest", others: "1.27.1 stable", says: "moves" },
  { running: "alpine", others: "alpine-slim 1.27.1-alpine", says: "moves" },
  { running: "v3.1.2", others: "v3.1.4 3.1.4 v3.2.0-rc1 v3.1 v4.0.0", ahead: "v3.1.4 - v4.0.0" },
  { running: "comte", others: "mimolette v3.1.2", says: "moves" },
  {
    running: "2.8.1-alpine",
    others: "2.8.4-alpine 2.8.5-builder-alpine 2.9.0-beta.2-alpine",
    ahead: "2.8.4-alpine - -",
  },
  {
    running: "3.0.2-alpine3.20",
    others: "3.0.3-alpine3.20 3.1-dev5-alpine3.20 3.0.4-alpine3.21",
    ahead: "3.0.3-alpine3.20 - -",
  },
  { running: "20-alpine", others: "18-alpine 22-alpine 23 22.1-alpine 24-slim", ahead: "- - 22-alpine" },
  {
    running: "20.11.1-bookworm-slim",
    others: "20.12.0-bookworm-slim 22.1.0-bookworm-slim 20.11.2-bookworm",
    ahead: "- 20.12.0-bookworm-slim 22.1.0-bookworm-slim",
  },
  { running: "3.12-slim", others: "3.11-slim 3.13-slim 3.14 3.14.0rc1-slim", ahead: "- 3.13-slim -" },
  { running: "1.22.3", others: "1.22.5 1.23.0 1.24rc1 1.23 tip", ahead: "1.22.5 1.23.0 -" },
  { running: "21.0.3_9-jre", others: "21.0.4_7-jre 22.0.1_8-jre 21.0.5_1-jdk", ahead: "21.0.4_7-jre - 22.0.1_8-jre" },
  {
    running: "16.3.0-debian-12-r3",
    others: "16.3.0-debian-12-r10 16.4.0-debian-12-r1 17.0.0-debian-12-r0 16.5.0-debian-11-r2",
    ahead: "16.3.0-debian-12-r10 16.4.0-debian-12-r1 17.0.0-debian-12-r0",
  },
  { running: "10.4.2", others: "10.4.3 11.0.0 12.0.0-preview 10.4.4-ubuntu main nightly", ahead: "10.4.3 - 11.0.0" },
  { running: "v2.51.0", others: "v2.51.2 v2.52.0 v3.0.0-beta.0 main", ahead: "v2.51.2 v2.52.0 -" },
  { running: "24.0.3", others: "24.0.4 25.0.0 24.0 nightly", ahead: "24.0.4 - 25.0.0" },
  { running: "v1.14.4", others: "v1.14.5 v1.15.0 v1.16.0-alpha.0", ahead: "v1.14.5 v1.15.0 -" },
  { running: "v2.10.7", others: "v2.10.9 v2.11.0 v2.12.0-rc1 latest", ahead: "v2.10.9 v2.11.0 -" },
  { running: "2024.5.3", others: "2024.5.5 2024.6.0 2024.7.0b1 2025.1.0 stable", ahead: "2024.5.5 2024.6.0 2025.1.0" },
  { running: "16.11.1-ce.0", others: "16.11.2-ce.0 17.0.0-ce.0 16.11.3-ee.0", ahead: "16.11.2-ce.0 - 17.0.0-ce.0" },
  {
    running: "2.440.3-lts-jdk17",
    others: "2.452.1-lts-jdk17 2.462.1-lts-jdk21 2.459-jdk17",
    ahead: "- 2.452.1-lts-jdk17 -",
  },
  {
    running: "10.5.0-community",
    others: "10.5.1-community 10.6.0-community 10.7.0-enterprise",
    ahead: "10.5.1-community 10.6.0-community -",
  },
  {
    running: "3.13.2-management-alpine",
    others: "3.13.3-management-alpine 4.0.0-management-alpine 4.1.0-management",
    ahead: "3.13.3-management-alpine - 4.0.0-management-alpine",
  },
  { running: "8.13.0", others: "8.13.4 8.14.0 8.15.0-SNAPSHOT 7.17.22 9.0.0-rc1", ahead: "8.13.4 8.14.0 -" },
  { running: "1.36", others: "1.36.1 1.37 1.38-musl", ahead: "- 1.37 -" },
  { running: "3.19", others: "3.20 3.20.1 edge 20240606", ahead: "- 3.20 -" },
  { running: "20240606", others: "20240807 3.20", says: "no-version" },
  { running: "22.04", others: "24.04 24.10 noble rolling", ahead: "- - 24.10" },
  { running: "bookworm-20240612-slim", others: "bookworm-20240701-slim", says: "no-version" },
  { running: "bookworm", others: "bookworm-slim trixie 12.5", says: "moves" },
  { running: "sha-1f3a9c2", others: "sha-abc1234", says: "no-version" },
  { running: "main", others: "develop 1.0.0", says: "moves" },
  { running: "main-20260105-abc1234", others: "main-20260106-1f3a9c2", says: "no-version" },
  { running: "build-511", others: "build-512", says: "no-version" },
  { running: "v1.2.3-rc.1", others: "v1.2.3-rc.2 v1.2.3 v1.3.0", ahead: "v1.2.3 v1.3.0 -" },
  { running: "release-1.2.3", others: "release-1.2.4 release-2.0.0", ahead: "release-1.2.4 - release-2.0.0" },
  { running: "1.0.0", others: "0.9.0 0.9.1", says: "newest" },
  {
    running: "v1.29.4-k3s1",
    others: "v1.29.4-k3s2 v1.29.5-k3s1 v1.30.0-k3s1 v1.31.0-rc1-k3s1",
    ahead: "v1.29.5-k3s1 v1.30.0-k3s1 -",
  },
  {
    running: "alpine-v17.2.0",
    others: "alpine-v17.2.1 alpine-v17.3.0 ubuntu-v17.4.0",
    ahead: "alpine-v17.2.1 alpine-v17.3.0 -",
  },
  {
    running: "1.22.0-distroless",
    others: "1.22.1-distroless 1.23.0-distroless 1.24.0",
    ahead: "1.22.1-distroless 1.23.0-distroless -",
  },
  { running: "RELEASE.2024-05-10T01-41-38Z", others: "RELEASE.2024-06-04T19-20-08Z", says: "no-version" },
  { running: "2024.08.1", others: "2024.08.02 2024.10.0 2025.01.0", ahead: "2024.08.02 2024.10.0 2025.01.0" },
];
