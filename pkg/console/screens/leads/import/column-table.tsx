import { FailureLine, Skeleton } from '../../../parts/loaded.tsx';
import type { ImportWork, ShownColumn } from './import-work.ts';
import { CUSTOM, ownField, TARGET_GROUPS, targetLabel } from './targets.ts';

/** Columns of a file that are shown: files of more are of programs. */
const MOST_COLUMNS = 200;

/** Each column with what stands in it and where it goes. */
export function ColumnTable({ work }: { work: ImportWork }) {
  const columns = work.columns.value;
  const failure = work.previewFailure.value;
  if (work.preview.value === undefined && failure === undefined) return <Skeleton lines={5} />;
  const shown = columns.slice(0, MOST_COLUMNS);
  return (
    <>
      <FailureLine failure={failure} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what moves sideways has to be moved by keys, too */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section of its own would be a landmark */}
      <div class="table-frame" role="group" aria-label="Columns" tabIndex={0} aria-busy={work.previewing.value}>
        <table class="columns">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">What stands in it</th>
              <th scope="col">Goes to</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((column, place) => (
              <ColumnRow key={place} column={column} place={place} work={work} />
            ))}
          </tbody>
        </table>
      </div>
      {columns.length > shown.length ? <p class="hint">And {columns.length - shown.length} more columns.</p> : null}
    </>
  );
}

/** The column goes where its name says. */
const BY_NAME = '';

function ColumnRow({ column, place, work }: { column: ShownColumn; place: number; work: ImportWork }) {
  const { name, samples, target } = column;
  const own = ownField(name, place);
  const label = name === '' ? `Column ${place + 1}` : name;
  const chosen = work.mapping.value[name];
  const isOwnTarget = target?.startsWith(CUSTOM) === true && target !== own;
  return (
    <tr>
      <th scope="row">
        <bdi>{label}</bdi>
      </th>
      <td>
        <span class="samples">
          {samples.length === 0 ? <span class="soft">nothing</span> : null}
          {samples.map((sample) => (
            <bdi key={sample} class="sample">
              {sample.length > LONGEST_SAMPLE ? `${sample.slice(0, LONGEST_SAMPLE)}…` : sample}
            </bdi>
          ))}
        </span>
      </td>
      <td>
        <select
          aria-label={`Where “${label}” goes`}
          class={target === null ? 'target target-none' : 'target'}
          value={target ?? BY_NAME}
          disabled={work.busy.value !== null}
          onChange={(event) => work.map(name, event.currentTarget.value === BY_NAME ? null : event.currentTarget.value)}
        >
          <option value={BY_NAME} disabled={chosen === undefined && target !== null}>
            {chosen === undefined ? 'Nowhere' : 'Where its name says'}
          </option>
          {TARGET_GROUPS.map((group) => (
            <optgroup key={group.label} label={group.label}>
              {group.targets.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </optgroup>
          ))}
          <optgroup label="As it is">
            <option value={own}>{targetLabel(own)}</option>
            {isOwnTarget ? <option value={target}>{targetLabel(target)}</option> : null}
          </optgroup>
        </select>
      </td>
    </tr>
  );
}

const LONGEST_SAMPLE = 60;
