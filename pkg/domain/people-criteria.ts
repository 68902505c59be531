import type { IcpCriteria } from './icp-score.ts';

/** Whom a search or a signal agent looks for: as an ICP, and where they are. An empty list asks for nothing. */
export interface PeopleCriteria extends IcpCriteria {
  locations: readonly string[];
}
