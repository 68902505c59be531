import type { Category } from '../tools/tool.ts';

/** Calls per minute and key. Source: specification, Limits. */
export interface RateLimits {
  read: number;
  write: number;
  llm: number;
  overall: number;
}

/** Milliseconds of a window, which begins with the key's first counted call. Source: specification, Limits. */
export const WINDOW_MS = 60_000;

/** All keys of a user, or of a workspace, share a window beside their own: without it, as many keys bind nobody. */
export interface KeyOwner {
  /** `user:<id>` or `workspace:<id>`. */
  id: string;
  /** How many times the limits of one key it has. */
  times: number;
}

/** Whose window and whose standing is asked. */
export interface Subject {
  /** Id of the API key, or `<key>@<workspace>` for a workspace's own limits on a user key. */
  keyId: string;
  sessionHash: Buffer | null;
}

/** One call that asks to be counted. */
export interface AdmissionRequest extends Subject {
  category: Category;
  /** The platform's, or what a workspace lowered them to. */
  limits: RateLimits;
  /** Absent: only the subject's own window counts. */
  owner?: KeyOwner | undefined;
}

/** What is true of a key, its user and its session now. */
export interface Standing {
  /** Differs when anything changed that decides what the key may do; null: was not asked. */
  version: string | null;
  sessionEnded: boolean;
}

/** What one round trip says of a call. */
export interface Admission extends Standing {
  /** Limit that refused; overall where both are reached, since no other category would be let through either. */
  refused: keyof RateLimits | null;
  /** The window that refused is that of the key's owner. */
  byOwner?: boolean;
  /** Milliseconds until that window turns. */
  retryMs: number;
}

/** Counts calls; one atomic round trip that also tells whether what is known of the key still holds. */
export interface Limiter {
  admit(request: AdmissionRequest): Promise<Admission>;
  /** The same without counting, for requests that are no calls. */
  standing(subject: Subject): Promise<Standing>;
  /** Makes every replica look again at its next request. Resolves when that holds, or can not be brought about. */
  stamp(keyId: string): Promise<void>;
  close(): void;
}

/** What a key's owner may do in a window. */
export function ownerLimits(limits: RateLimits, times: number): RateLimits {
  const { read, write, llm, overall } = limits;
  return { read: read * times, write: write * times, llm: llm * times, overall: overall * times };
}

/** Seconds after which a refused call is admitted again. */
export function retrySeconds(retryMs: number): number {
  return Math.max(1, Math.ceil(retryMs / 1_000));
}

/** The stricter of two sets of limits. */
export function lowerLimits(limits: RateLimits, other: Record<keyof RateLimits, number | undefined>): RateLimits {
  const lower = (name: keyof RateLimits): number => Math.min(limits[name], other[name] ?? limits[name]);
  return { read: lower('read'), write: lower('write'), llm: lower('llm'), overall: lower('overall') };
}
