/** What an exclusion stops. Source: catalog node type `lead:exclude`. */
export const EXCLUSION_REACHES = ['signals', 'all_outreach'] as const;
export type ExclusionReach = (typeof EXCLUSION_REACHES)[number];

/**
 * Where exclusions come from, and whether a workspace may lift them: a wish of the person and the law stay. `make generate`
 * writes app.is_removable from it. Source: catalog `enums.suppressionSource`.
 */
export const SUPPRESSION_SOURCES = {
  manual: { removable: true },
  import: { removable: true },
  unsubscribe: { removable: false },
  bounce: { removable: true },
  complaint: { removable: false },
  erasure: { removable: false },
  customer: { removable: true },
  competitor: { removable: true },
} as const;
export type SuppressionSource = keyof typeof SUPPRESSION_SOURCES;
