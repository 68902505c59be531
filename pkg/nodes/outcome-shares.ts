import type { CompiledNode } from '../domain/graph.ts';
import { DAY_MS } from './config-parts.ts';
import type { AnyNodeType } from './node-type.ts';

/** What a simulation takes people to do; shares, 0 to 1. */
export interface Rates {
  acceptanceRate: number;
  replyRate: number;
}

/** How long those who accept or answer take, days; a reviewer takes one. */
const ACCEPT_DAYS = 3;
const REPLY_DAYS = 1;
const REVIEW_DAYS = 1;

/** The few fields of configs that the simulation reads; every schema keeps these names. */
interface TimedConfig {
  waitType?: string;
  durationMs?: number;
  untilTime?: number;
  timeoutMs?: number;
  branches?: readonly { name: string; weight: number }[];
}

/** Each outcome with the share of leads that takes it and the days that these stay. */
export type Shares = readonly (readonly [outcome: string, share: number, days: number])[];

function splitShares(branches: readonly { name: string; weight: number }[]): Shares {
  const total = branches.reduce((sum, branch) => sum + branch.weight, 0);
  return branches.map(({ name, weight }) => [name, weight / total, 0]);
}

/** Share and stay of each outcome. A condition is taken as even, because the leads to come are not known. */
export function outcomeShares(node: CompiledNode, type: AnyNodeType, rates: Rates): Shares {
  const config = node.config as TimedConfig;
  const timeoutDays = Math.round((config.timeoutMs ?? 0) / DAY_MS);
  const event = (happens: string, share: number, days: number): Shares => [
    [happens, share, Math.min(days, timeoutDays)],
    ['timed_out', 1 - share, timeoutDays],
  ];
  switch (node.nodeType) {
    case 'flow:wait':
      return [['next', 1, Math.round((config.durationMs ?? 0) / DAY_MS)]];
    case 'flow:condition':
      return [
        ['true', 0.5, 0],
        ['false', 0.5, 0],
      ];
    case 'flow:split':
      return splitShares(config.branches ?? []);
    case 'flow:review':
      return [['approved', 1, REVIEW_DAYS]];
    case 'network:wait_connection':
      return event('accepted', rates.acceptanceRate, ACCEPT_DAYS);
    case 'network:wait_reply':
    case 'mail:wait_reply':
      return event('replied', rates.replyRate, REPLY_DAYS);
    default:
      return type.defaultOutcome === null ? [] : [[type.defaultOutcome, 1, 0]];
  }
}
