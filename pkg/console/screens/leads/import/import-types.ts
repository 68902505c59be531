import type { Input, Output } from '../../../api/call.ts';

/** What svc_import_leads_csv is asked for, and tells. */
export type Asked = Input<'svc_import_leads_csv'>;
export type ImportAnswer = Output<'svc_import_leads_csv'>;
