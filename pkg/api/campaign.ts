import { z } from 'zod';
import { DEFAULT_REVIEW_MODE, SCORE_MIN } from '../domain/campaign-defaults.ts';
import { CONTACT_POLICY } from '../domain/contact-policy.ts';
import { REVIEW_EXPIRES_AFTER_HOURS } from '../domain/review-expiry.ts';
import { DEFAULT_SIGNAL_WEIGHTS, SIGNAL_CAP, SIGNAL_DECAYS, type SignalType } from '../domain/signal-score.ts';
import { CAMPAIGN_STATES, DEDUPE_SCOPES, REVIEW_MODES } from '../domain/vocabulary.ts';
import { campaignMoveRule } from './campaign-moves.ts';
import { businessHours, celRules, count, HOLD_COLUMN, immutableRef, statusBase } from './fields.ts';
import type { Kind } from './kind.ts';

const points = (type: SignalType, what: string) =>
  z.number().min(0).max(100).default(DEFAULT_SIGNAL_WEIGHTS[type].points).describe(`Points: ${what}.`);

/** Points per live signal type. Source: catalog parameter `signalWeights`. */
const signalWeights = z
  .object({
    job_change: points('job_change', 'a change of job'),
    new_post: points('new_post', 'a new post'),
    funding_round: points('funding_round', 'a funding round'),
    headcount_growth: points('headcount_growth', 'a growing headcount'),
  })
  .prefault({})
  .describe('Points added per live signal.');

const fading = (type: SignalType, what: string) =>
  z
    .object({
      windowDays: z
        .int()
        .min(1)
        .max(365)
        .default(DEFAULT_SIGNAL_WEIGHTS[type].windowDays)
        .describe('Days after which it adds nothing.'),
      decay: z.enum(SIGNAL_DECAYS).default('linear').describe('How its points fade.'),
      halfLifeDays: z.number().min(0.5).max(365).optional().describe('Days until half is left; for half_life.'),
    })
    .prefault({})
    .describe(`Window and decay: ${what}.`);

/** How signals fade and what they add at most. Source: catalog parameters of `svc_update_signal_weights`. */
const signalRules = z
  .object({
    cap: z.number().min(0).max(100).default(SIGNAL_CAP).describe('Most points that signals add to one lead.'),
    job_change: fading('job_change', 'a change of job'),
    new_post: fading('new_post', 'a new post'),
    funding_round: fading('funding_round', 'a funding round'),
    headcount_growth: fading('headcount_growth', 'a growing headcount'),
  })
  .prefault({})
  .describe('For how long signals add points, and how many at most.');

/** Who may be contacted. Source: catalog parameter `contactPolicy`. */
const contactPolicy = z
  .object({
    dedupeScope: z
      .enum(DEDUPE_SCOPES)
      .default(CONTACT_POLICY.dedupeScope)
      .describe('Within what a person is contacted by one run at a time.'),
    minDaysBetweenTouches: z
      .int()
      .min(0)
      .max(365)
      .default(CONTACT_POLICY.minDaysBetweenTouches)
      .describe('Days between two contacts of a person.'),
    maxLeadsPerCompanyPerDay: z
      .int()
      .min(0)
      .max(1000)
      .default(CONTACT_POLICY.maxLeadsPerCompanyPerDay)
      .describe('People of one company per day.'),
    stopOnReply: z.boolean().default(CONTACT_POLICY.stopOnReply).describe('A reply ends the sequence of that person.'),
    stopCompanyOnReply: z
      .boolean()
      .default(CONTACT_POLICY.stopCompanyOnReply)
      .describe('A reply ends the sequences of the whole company.'),
    recontactAfterDays: z
      .int()
      .min(0)
      .max(3650)
      .default(CONTACT_POLICY.recontactAfterDays)
      .describe('Days before a contacted person may be enrolled again.'),
  })
  .prefault({})
  .describe('Who may be contacted, and how often.');

export const campaignSpec = z
  .object({
    workspaceRef: immutableRef('workspaceRef', 'The workspace that the campaign belongs to.'),
    title: z.string().min(1).max(200).describe('Name that people see.'),
    goal: z.string().max(2000).default('').describe('What it is to achieve.'),
    description: z.string().max(5000).default('').describe('What people should know of it.'),
    playbookOverride: z.string().max(20_000).optional().describe('Appended to the playbook of the workspace.'),
    scoreMin: z
      .number()
      .min(0)
      .max(200)
      .default(SCORE_MIN)
      .describe('Total score that a lead needs to enter through the pool.'),
    signalWeights,
    signalRules,
    businessHours: businessHours.optional(),
    contactPolicy,
    reviewMode: z
      .enum(REVIEW_MODES)
      .default(DEFAULT_REVIEW_MODE)
      .describe('Which texts a person must approve before they are sent.'),
    reviewExpiresAfterHours: z
      .int()
      .min(0)
      .max(8760)
      .default(REVIEW_EXPIRES_AFTER_HOURS)
      .describe('Hours after which a draft that nobody decided stops its lead; 0 is never.'),
    creditBudget: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .default(0)
      .describe('Credits that it may spend in total; 0 is no cap.'),
    state: z
      .enum(['draft', 'active', 'paused', 'completed', 'archived'])
      .default('draft')
      .describe('Only active lets workflows act; enabling the first workflow of a draft activates it.')
      .meta(
        celRules({
          rule: campaignMoveRule(),
          message: 'this move is not allowed; see the states of a campaign: draft, active, paused, completed, archived',
          reason: 'FieldValueForbidden',
        }),
      ),
  })
  .describe('What should be: the goal, who may be contacted and how often, and under which review.');

export const campaignStatus = z
  .object({
    ...statusBase,
    state: z.enum(CAMPAIGN_STATES).optional().describe('State in force.'),
    counts: z
      .object({ workflows: count('Workflows.'), leadsInPool: count('Leads that may enter.') })
      .optional()
      .describe('How many there are.'),
  })
  .describe('What is: kept by the operator.');

/** One goal of one client. `kubectl get ocamp`. */
export const CAMPAIGN: Kind = {
  kind: 'Campaign',
  plural: 'campaigns',
  singular: 'campaign',
  shortNames: ['ocamp'],
  description: 'A campaign is one goal for one client: who may be contacted, how often, and under which review.',
  spec: campaignSpec,
  status: campaignStatus,
  selectableFields: ['.spec.workspaceRef.name', '.spec.state'],
  columns: [
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether it can be used.',
    },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason', description: 'Why.' },
    { name: 'State', type: 'string', jsonPath: '.status.state', description: 'State in force.' },
    HOLD_COLUMN,
    { name: 'Workspace', type: 'string', jsonPath: '.spec.workspaceRef.name', description: 'Workspace.' },
    { name: 'Title', type: 'string', jsonPath: '.spec.title', description: 'Title.', priority: 1 },
    {
      name: 'Workflows',
      type: 'integer',
      jsonPath: '.status.counts.workflows',
      description: 'Workflows.',
      priority: 1,
    },
    {
      name: 'Pool',
      type: 'integer',
      jsonPath: '.status.counts.leadsInPool',
      description: 'Leads that may enter.',
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Age.' },
  ],
};
