import all from "../stryker.config.json" with { type: "json" };

/**
 * Stryker's settings of `npm run mutate`, without the incremental report, which a clean clone
 * lacks.
 */
export default {
  ...all,
  incremental: false,
  reporters: ["clear-text"],
  thresholds: { high: 95, low: 90, break: 80 },
};
