import type { Graph } from '../../../domain/graph.ts';
import type { WaitRow } from '../../workflow-execution/run-row.ts';

/** A run of the lead, as far as a check of it asks. */
export interface Run extends WaitRow {
  id: string;
  workflow_id: string;
  campaign_id: string;
  node_id: string;
  account_id: string | null;
  /** Its workflow has a step of the network. */
  networks: boolean;
  /** The version that it goes by; null when that is gone. */
  graph: Graph | null;
  entered_at: number;
  ended_at: number | null;
  end_reason: string | null;
}
