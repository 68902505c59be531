import type { ScreenProps } from '../../app/screen-props.ts';
import './leads.css';
import { ImportPage } from './import/import-page.tsx';
import { LeadList } from './lead-list.tsx';
import { IMPORT } from './lead-names.ts';
import { LeadPage } from './lead-page.tsx';

/** People: the list of them, one of them, and files of them. */
export default function LeadsScreen({ rest }: ScreenProps) {
  if (rest === '') return <LeadList />;
  if (rest === IMPORT) return <ImportPage />;
  return <LeadPage key={rest} leadId={rest} />;
}
