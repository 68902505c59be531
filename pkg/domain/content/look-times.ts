const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** When a post that went out is looked at whether it is there, ms after it: networks take a while to show it. Rule C2. */
export const READ_BACK_MS = [2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] as const;
/** When its totals are kept, ms after it went out; then nobody looks any more. */
export const SAMPLES_MS = [HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS, 30 * DAY_MS] as const;
/** After this nobody looks any more, ms after it went out: an account that stays away holds no look for ever. */
export const LOOKED_FOR_MS = SAMPLES_MS[SAMPLES_MS.length - 1] ?? 0;
/** A provider that does not answer is asked again after this. */
export const LOOK_AGAIN_MS = 30 * MINUTE_MS;

/** Where the looks at a post stand. */
export interface LookPlace {
  /** Looks of its read-back that saw nothing. */
  misses: number;
  /** Whether it was seen, or found to be missing for good. */
  judged: boolean;
  /** Samples that were kept, or passed over. */
  samples: number;
}

export const FIRST_LOOK: LookPlace = { misses: 0, judged: false, samples: 0 };

/** When the next look is due (epoch ms); null: there is none. What was missed while nothing ran is made up once, by the last of it. */
export function nextLook(place: LookPlace, publishedAt: number, now: number): { at: number; place: LookPlace } | null {
  if (!place.judged) {
    const after = READ_BACK_MS[place.misses];
    return after === undefined ? null : { at: publishedAt + after, place };
  }
  let samples = place.samples;
  while (samples + 1 < SAMPLES_MS.length && publishedAt + (SAMPLES_MS[samples + 1] ?? 0) <= now) samples++;
  const after = SAMPLES_MS[samples];
  return after === undefined ? null : { at: publishedAt + after, place: { ...place, samples } };
}
