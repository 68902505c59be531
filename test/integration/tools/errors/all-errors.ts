import { ALL_TOOLS } from '../../../../pkg/tools/registry.ts';
import { absentOf } from '../../../fixtures/tools/absent-records.ts';
import { ADMIN_ERRORS } from './admin-errors.ts';
import { CALENDAR_ERRORS } from './calendar-errors.ts';
import { CAMPAIGN_ERRORS } from './campaign-errors.ts';
import { CONTENT_ERRORS } from './content-errors.ts';
import { type ErrorRow, NEVER } from './error-row.ts';
import { INTEGRATION_ERRORS } from './integration-errors.ts';
import { MAIL_ERRORS } from './mail-errors.ts';
import { OFFICE_ERRORS } from './office-errors.ts';
import { OUTREACH_ERRORS } from './outreach-errors.ts';
import { REVIEW_ERRORS } from './review-errors.ts';
import { WORKFLOW_ERRORS } from './workflow-errors.ts';

/** Each of them is met by a test, in this order. */
export const ALL_ERRORS: readonly ErrorRow[] = [
  ...CAMPAIGN_ERRORS,
  ...WORKFLOW_ERRORS,
  ...REVIEW_ERRORS,
  ...OFFICE_ERRORS,
  ...INTEGRATION_ERRORS,
  ...OUTREACH_ERRORS,
  ...MAIL_ERRORS,
  ...ADMIN_ERRORS,
  ...CONTENT_ERRORS,
  ...CALENDAR_ERRORS,
];

/** `<tool>: <error>` of every error that a test meets, or that no call can meet. */
export function provenErrors(): Set<string> {
  const missing = ALL_TOOLS.flatMap(({ name, example }) =>
    absentOf(name, example.input).map(({ recordType }) => `${name}: not found ${recordType}`),
  );
  return new Set([...missing, ...[...ALL_ERRORS, ...NEVER].map(({ tool, error }) => `${tool}: ${error}`)]);
}
