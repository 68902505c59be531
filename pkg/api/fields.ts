import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { DEFAULT_BUSINESS_HOURS, TIMEZONE_MODES } from '../domain/business-hours.ts';
import type { Column } from './kind.ts';

/**
 * Building blocks of the kinds' schemas. Every string, list and map has a bound: the API server estimates the cost
 * of CEL rules from them and refuses a definition without, and they keep objects far below etcd's 1.5 MB.
 */

/** CEL rules of a schema (`x-kubernetes-validations`). */
export function celRules(...rules: { rule: string; message: string; reason?: string }[]): Record<string, unknown> {
  return { 'x-kubernetes-validations': rules };
}

export const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

/** Names of our objects are DNS labels, so that `<namespace>.<name>` and `<name>` never clash as ids. */
export const NAME_RULE = {
  rule: `size(self.metadata.name) <= 63 && self.metadata.name.matches('${DNS_LABEL}')`,
  message: 'metadata.name must be a DNS label: lower case letters, digits and dashes, 63 characters at most',
  reason: 'FieldValueInvalid',
};

/** A reference to an object of the same namespace, fixed for the life of the referring object. */
export function immutableRef(field: string, description: string) {
  return z
    .object({
      name: z
        .string()
        .min(1)
        .max(63)
        .regex(new RegExp(DNS_LABEL))
        .describe('Name of the object, in the same namespace.'),
    })
    .describe(description)
    .meta(
      celRules({
        rule: 'self == oldSelf',
        message: `${field} is immutable; create a new object instead`,
        reason: 'FieldValueForbidden',
      }),
    );
}

/** CPU or memory as Kubernetes writes it; integers are accepted. */
export function quantity(description: string) {
  return z
    .union([z.int().min(0), z.string().min(1).max(20)])
    .describe(description)
    .meta({ 'x-kubernetes-int-or-string': true });
}

/** An object without a schema of its own: node configs are checked against the vocabulary, not by the API server. */
export function freeObject(description: string) {
  return z
    .custom<JsonObject>((value) => value !== null && typeof value === 'object' && !Array.isArray(value))
    .describe(description)
    .meta({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
}

/** Send window. Source: catalog parameter `businessHours`. Hours are of the local day, days are 1 = Monday. */
export const businessHours = z
  .object({
    timezoneMode: z
      .enum(TIMEZONE_MODES)
      .default(DEFAULT_BUSINESS_HOURS.timezoneMode)
      .describe('Whose timezone decides.'),
    timezone: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('IANA name, or the one of Windows; required for fixed, fallback for lead.'),
    days: z
      .array(z.int().min(1).max(7).describe('1 = Monday, 7 = Sunday.'))
      .min(1)
      .max(7)
      .default([...DEFAULT_BUSINESS_HOURS.days])
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Days of the week, 1 = Monday.'),
    startHour: z
      .int()
      .min(0)
      .max(23)
      .default(DEFAULT_BUSINESS_HOURS.startHour)
      .describe('First hour of the day, local time.'),
    endHour: z
      .int()
      .min(1)
      .max(24)
      .default(DEFAULT_BUSINESS_HOURS.endHour)
      .describe('Hour before which it ends, local time.'),
    holidayCountry: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .max(2)
      .optional()
      .describe('ISO 3166 alpha-2; public holidays are skipped.'),
  })
  .describe('When outreach may act.')
  .meta(
    celRules(
      { rule: 'self.startHour < self.endHour', message: 'startHour must be before endHour' },
      {
        rule: "self.timezoneMode != 'fixed' || has(self.timezone)",
        message: 'timezone is required when timezoneMode is fixed',
      },
    ),
  );

/** One condition (meta/v1); conditions are a list map by type, so that several managers can own some of them. */
const condition = z
  .object({
    type: z.string().min(1).max(316).describe('What is judged, for example Ready.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('The verdict.'),
    observedGeneration: z.int().min(0).optional().describe('Generation of the spec that was judged.'),
    lastTransitionTime: z.string().max(64).meta({ format: 'date-time' }).describe('Since when the verdict is this.'),
    reason: z.string().min(1).max(1024).describe('CamelCase, for machines.'),
    message: z.string().max(32_768).describe('One sentence for people, deterministic.'),
  })
  .describe('One verdict.');

/** What every status begins with. */
export const statusBase = {
  observedGeneration: z.int().min(0).optional().describe('Generation of the spec that this status describes.'),
  conditions: z
    .array(condition)
    .max(32)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
    .describe('Ready is the summary; Reconciling and Stalled are present only when True.'),
  hold: z
    .string()
    .max(400)
    .optional()
    .describe(
      'Held by whom, while a tool stops it or what is above it whatever the spec says; absent: nothing holds it.',
    ),
};

/** Shows a hold beside the state of the spec, which says nothing of it. */
export const HOLD_COLUMN: Column = {
  name: 'Hold',
  type: 'string',
  jsonPath: '.status.hold',
  description: 'Held by whom, whatever the spec says: itself, or what is above it.',
};

/** A count that never grows into a list. */
export function count(description: string) {
  return z.int().min(0).optional().describe(description);
}
