import { Icon } from '../../../parts/icon.tsx';
import type { ImportAnswer } from './import-types.ts';

/** What became of rows, or would become of them. */
export function Counts({ answer, wouldBe = false }: { answer: ImportAnswer; wouldBe?: boolean }) {
  const { created, updated, skipped, suppressed, excluded } = answer;
  return (
    <dl class="counts">
      <Count value={created} label={wouldBe ? 'would be new' : 'new'} tone="good" />
      <Count value={updated} label={wouldBe ? 'are there and would be changed' : 'were there, and are up to date'} />
      <Count value={skipped} label={wouldBe ? 'would be skipped' : 'skipped'} tone={skipped > 0 ? 'bad' : 'plain'} />
      <Count value={suppressed} label="must not be contacted" />
      <Count value={excluded} label="excluded by the file itself" />
    </dl>
  );
}

function Count({ value, label, tone = 'plain' }: { value: number; label: string; tone?: 'plain' | 'good' | 'bad' }) {
  return (
    <div class={`count-one count-${value === 0 ? 'plain' : tone}`}>
      <dt>{label}</dt>
      <dd>{value.toLocaleString()}</dd>
    </div>
  );
}

/** Notes and reasons that are shown at once. */
const SHOWN = 50;

/** What is said of rows and columns: the warnings of columns first, then rows that are skipped, then cells that are left out. */
export function Reasons({ answer, wouldBe = false }: { answer: ImportAnswer; wouldBe?: boolean }) {
  const { errors, skipped } = answer;
  if (errors.length === 0) return null;
  const rows = errors.filter((one) => one.skipped);
  const notes = errors.filter((one) => !one.skipped);
  const columns = notes.filter(({ message }) => /^these columns /.test(message));
  const cells = notes.filter((one) => !columns.includes(one));
  return (
    <>
      {columns.map(({ message }) => (
        <p key={message} class="banner banner-warn">
          <Icon name="warning" /> <span>{columnWords(message)}</span>
        </p>
      ))}
      {wouldBe && rows.length > 0 ? (
        <Lines title={`Rows that would be skipped (${skipped.toLocaleString()})`} lines={rows} open />
      ) : null}
      {cells.length > 0 ? (
        <Lines title={`Cells that ${wouldBe ? 'would be' : 'were'} left out (${cells.length})`} lines={cells} />
      ) : null}
    </>
  );
}

/** What the tool advises is for whoever calls tools: here the table of columns sends them elsewhere. */
function columnWords(message: string): string {
  const end = message.lastIndexOf('; ');
  const [, advice] = ADVICE.find(([begin]) => message.startsWith(begin)) ?? [];
  const said = end < 0 || advice === undefined ? message : message.slice(0, end);
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}. ${advice ?? ''}`.trimEnd();
}

const ADVICE: readonly (readonly [begin: string, advice: string])[] = [
  [
    'these columns were not imported',
    'To keep one, choose where it goes in the table of columns, and import the file again.',
  ],
  [
    'these columns may say who must not be contacted',
    'If they do, choose “Who must not be contacted” for them in the table of columns, and import the file again before a workflow starts.',
  ],
];

function Lines({ title, lines, open = false }: { title: string; lines: ImportAnswer['errors']; open?: boolean }) {
  return (
    <details open={open}>
      <summary>{title}</summary>
      <ul class="reasons">
        {lines.slice(0, SHOWN).map(({ row, line, field, message }) => (
          <li key={`${line} ${field} ${message}`}>
            <span class="reason-row">Row {row}</span> <bdi>{field ? `${field}: ${message}` : message}</bdi>
          </li>
        ))}
      </ul>
      {lines.length > SHOWN ? <p class="hint">And {lines.length - SHOWN} more.</p> : null}
    </details>
  );
}
