import { z } from 'zod';
import { EXECUTOR_MODES } from '../domain/executor-mode.ts';
import { businessHours, count, HOLD_COLUMN, quantity, statusBase } from './fields.ts';
import type { Kind } from './kind.ts';

const perMinute = (what: string) => z.int().min(0).max(1_000_000).optional().describe(`Calls per minute: ${what}.`);
const resourceList = z
  .object({ cpu: quantity('For example 100m.').optional(), memory: quantity('For example 128Mi.').optional() })
  .optional();

const executor = z
  .object({
    mode: z
      .enum(EXECUTOR_MODES)
      .optional()
      .describe(
        'Dedicated: a pod of its own. Pooled: one of the pods that serve many. Absent: as the platform says. With placement rules it is Dedicated.',
      ),
    resources: z
      .object({
        requests: resourceList.describe('What the pod is promised.'),
        limits: resourceList.describe('What the pod may use.'),
      })
      .optional()
      .describe('CPU and memory of the pod.'),
    idleTimeout: z
      .string()
      .max(20)
      .regex(/^([0-9]+(s|m|h))+$/)
      .default('5m')
      .describe('Real time without work after which the pod sleeps.'),
    nodeSelector: z
      .record(z.string().max(317), z.string().max(63).describe('Value of the label.'))
      .meta({ maxProperties: 32 })
      .optional()
      .describe('Labels of the nodes that the pod may run on.'),
    tolerations: z
      .array(
        z
          .object({
            key: z.string().max(317).optional().describe('Key of the taint; absent with Exists: any.'),
            operator: z.enum(['Exists', 'Equal']).optional().describe('Whether the value must be equal, too.'),
            value: z.string().max(63).optional().describe('Value of the taint.'),
            effect: z
              .enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
              .optional()
              .describe('Absent: every effect.'),
            tolerationSeconds: z.int().min(0).max(2_147_483_647).optional().describe('How long NoExecute is borne.'),
          })
          .describe('One toleration, as in a Pod.'),
      )
      .max(16)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Taints that the pod tolerates.'),
    priorityClassName: z.string().max(253).optional().describe('PriorityClass of the pod.'),
  })
  .prefault({})
  .describe('The pod that runs the workflows while there is work.');

const limits = z
  .object({
    readPerMinute: perMinute('read tools'),
    writePerMinute: perMinute('write tools'),
    llmPerMinute: perMinute('tools that call a language model'),
    overallPerMinute: perMinute('all tools together'),
    monthlyCredits: z.int().min(0).max(1_000_000_000).optional().describe('Credits granted at the start of a month.'),
    dailyActions: z
      .record(z.string().max(63), z.int().min(0).max(10_000).describe('Actions of this kind, per account and day.'))
      .meta({ maxProperties: 32 })
      .optional()
      .describe('Ceiling per account, day and action kind; only below the platform ceiling.'),
  })
  .prefault({})
  .describe('Limits of this workspace; absent means the platform default.');

const settings = z
  .object({
    website: z.string().max(500).optional().describe('Address of the company that the workspace speaks for.'),
    contentApprovalRequired: z.boolean().optional().describe('Posts need an approval before they are published.'),
    defaultReviewMode: z
      .enum(['off', 'ai_only', 'first_touch', 'all'])
      .optional()
      .describe('Review mode of new campaigns that tools make.'),
    retentionDays: z
      .int()
      .min(30)
      .max(3650)
      .optional()
      .describe('Days that content of deleted records is kept; absent: for good.'),
    shareSuppressionWithAgency: z
      .boolean()
      .optional()
      .describe('Exclusions of this workspace count in all workspaces of its agency.'),
    senderPostalAddress: z.string().max(500).optional().describe('Put in mail footers.'),
  })
  .prefault({})
  .describe('Settings that tools change too.');

export const workspaceSpec = z
  .object({
    displayName: z.string().min(1).max(120).describe('Name that people see.'),
    owner: z
      .string()
      .min(3)
      .max(320)
      .regex(/^[^\s@]+@[^\s@]+$/)
      .describe('E-mail address of the owner; a user is made when it is unknown.'),
    agencyId: z
      .string()
      .min(1)
      .max(120)
      .optional()
      .describe('Groups workspaces for shared suppression and contact claims.'),
    plan: z.string().min(1).max(50).default('standard').describe('Name of the plan.'),
    timezone: z
      .string()
      .min(1)
      .max(64)
      .default('UTC')
      .describe('IANA name, for example Europe/Berlin, or the one of Windows.'),
    businessHours: businessHours.optional(),
    operatingMode: z
      .enum(['Running', 'Suspended'])
      .default('Running')
      .describe('Suspended stops all actions within seconds and keeps every place.'),
    executor,
    limits,
    settings,
  })
  .describe('What should be: whose the tenant is, its hours, limits and settings, and the pod that works for it.');

export const workspaceStatus = z
  .object({
    ...statusBase,
    executor: z
      .object({
        mode: z
          .enum(EXECUTOR_MODES)
          .optional()
          .describe('Pooled: the pool serves it; absent: it has a pod of its own.'),
        state: z
          .enum(['Idle', 'Starting', 'Running', 'Draining'])
          .describe('Idle: no pod works for it, there is nothing to do.'),
        podName: z.string().max(253).optional().describe('Name of the pod; of a pooled workspace that of the pool.'),
        epoch: z.int().min(0).optional().describe('Epoch of the current claim.'),
      })
      .optional()
      .describe('The pod that works for it.'),
    counts: z
      .object({
        campaigns: count('Campaigns.'),
        workflows: count('Workflows.'),
        liveRuns: count('Leads under way.'),
        signalAgents: count('Signal agents.').optional(),
        activeSignalAgents: count('Signal agents that run by their schedule.').optional(),
      })
      .optional()
      .describe('How many there are.'),
    lastActivityTime: z
      .string()
      .max(64)
      .meta({ format: 'date-time' })
      .optional()
      .describe('Product time of the last step.'),
  })
  .describe('What is: kept by the operator.');

/** A tenant. `kubectl get ows`. */
export const WORKSPACE: Kind = {
  kind: 'Workspace',
  plural: 'workspaces',
  singular: 'workspace',
  shortNames: ['ows'],
  description:
    'A workspace is a tenant: its accounts, campaigns and people. Its executor pod runs only while there is work.',
  spec: workspaceSpec,
  status: workspaceStatus,
  selectableFields: ['.spec.operatingMode'],
  columns: [
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether it can be used.',
    },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason', description: 'Why.' },
    { name: 'Mode', type: 'string', jsonPath: '.spec.operatingMode', description: 'Running or Suspended.' },
    HOLD_COLUMN,
    { name: 'Executor', type: 'string', jsonPath: '.status.executor.state', description: 'State of the executor pod.' },
    {
      name: 'Display Name',
      type: 'string',
      jsonPath: '.spec.displayName',
      description: 'Name that people see.',
      priority: 1,
    },
    { name: 'Owner', type: 'string', jsonPath: '.spec.owner', description: 'Owner.', priority: 1 },
    {
      name: 'Live Runs',
      type: 'integer',
      jsonPath: '.status.counts.liveRuns',
      description: 'Leads under way.',
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Age.' },
  ],
};
