/** What a tenant's calls took, ms; `answered`: how many came to an answer. */
export interface Measured {
  name: string;
  answered: number;
  p50: number;
  p99: number;
}
