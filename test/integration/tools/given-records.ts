import { systemIds } from '../../../pkg/base/ids.ts';
import type { McpTools } from '../../tools/mcp-tools.ts';
import { MONDAY } from './mcp-stage.ts';

/** A record that no tool makes, for the examples that ask for it. */
export interface GivenRecord {
  /** Names that must be known before. */
  needs: readonly string[];
  /** Makes it in workspace `acme`. @param named what is known by name @returns its id */
  make(tools: McpTools, named: (name: string) => unknown): Promise<string>;
}

const DAYS_60 = 60 * 86_400_000;

const signal: GivenRecord = {
  needs: ['leadId'],
  make: async (tools, named) => {
    const id = systemIds.uuid();
    await tools.force(
      `insert into signal (id, workspace_id, type, lead_id, title, occurred_at, detected_at, expires_at)
       values ($1, 'acme', 'job_change', $2, 'New role', $3, $3, $4)`,
      [id, named('leadId'), MONDAY, MONDAY + DAYS_60],
    );
    return id;
  },
};

/** A draft of a node of its own: one run holds one draft per node. */
const draft = (node: string): GivenRecord => ({
  needs: ['runId'],
  make: async (tools, named) => {
    const id = systemIds.uuid();
    await tools.force(
      `insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, node_id, send_node_id, lead_id, account_id, channel, body, original_body, state, created_at, expires_at)
       select $1, 'acme', r.workflow_id, r.campaign_id, r.id, r.node_id, r.node_id || $5, r.lead_id, $3, 'message', 'Hi', 'Hi', 'pending', 1, $4
       from run r where r.id = $2`,
      [id, named('runId'), named('networkAccountId'), MONDAY + DAYS_60, node],
    );
    return id;
  },
});

const conversation: GivenRecord = {
  needs: ['networkAccountId'],
  make: async (tools, named) => {
    const id = systemIds.uuid();
    await tools.force(`insert into conversation (id, account_id, external_id) values ($1, $2, 'chat-of-example')`, [
      id,
      named('networkAccountId'),
    ]);
    return id;
  },
};

const notification: GivenRecord = {
  needs: [],
  make: async (tools) => {
    const id = systemIds.uuid();
    await tools.force(
      `insert into notification (id, workspace_id, user_id, kind, title, text, origin, created_at)
       select $1, 'acme', m.user_id, 'run.step_done', 'A step', 'text', 'example', 1 from member m where m.workspace_id = 'acme' limit 1`,
      [id],
    );
    return id;
  },
};

/** An action of the example's own node whose outcome nobody could find out. */
const deadLetter: GivenRecord = {
  needs: ['runId', 'networkAccountId'],
  make: async (tools, named) => {
    const id = systemIds.uuid();
    await tools.force(
      `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at, dispatched_at, dead_letter_at, dead_letter_state)
       select $1, 'acme', r.workflow_id, r.campaign_id, r.id, 'look', r.lead_id, gen_random_uuid(), $3, 'message', 'unknown', 1, 1, 1, 1, 'open'
       from run r where r.id = $2`,
      [id, named('runId'), named('networkAccountId')],
    );
    return id;
  },
};

/** By the name that examples use. */
export const GIVEN_RECORDS: Readonly<Record<string, GivenRecord>> = {
  signalId: signal,
  draft1: draft('draft1'),
  draft2: draft('draft2'),
  draft3: draft('draft3'),
  draft4: draft('draft4'),
  draft5: draft('draft5'),
  conversationId: conversation,
  notificationId: notification,
  deadLetterId: deadLetter,
};
