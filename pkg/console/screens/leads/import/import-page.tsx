import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { failureOf } from '../../../api/http.ts';
import { here } from '../../../app/address.ts';
import { may, workspace } from '../../../app/session.ts';
import { NoPermission } from '../../../parts/loaded.tsx';
import { ScreenHead } from '../../../parts/screen-head.tsx';
import { DropZone } from './drop-zone.tsx';
import { EarlierImports } from './earlier-imports.tsx';
import { ImportForm } from './import-form.tsx';
import './import.css';
import { WayBack } from '../../../parts/way-back.tsx';
import { ImportReport } from './import-report.tsx';
import { ImportWork } from './import-work.ts';
import { type PickedFile, pickFile } from './picked-file.ts';

/** A file of people on its way in: chosen, its columns looked at, tried out, stored, and what was skipped mended. */
export function ImportPage() {
  const { workspaceId = '' } = workspace.value ?? {};
  const work = useSignal<ImportWork | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const reading = useSignal(false);
  useEffect(() => () => work.peek()?.end(), []);
  const begin = (picked: PickedFile): void => {
    work.peek()?.end();
    const next = new ImportWork(workspaceId, picked);
    work.value = next;
    void next.look();
  };
  const pick = async (file: File): Promise<void> => {
    problem.value = undefined;
    reading.value = true;
    try {
      begin(await pickFile(file));
    } catch (error) {
      problem.value = failureOf(error).message;
    } finally {
      reading.value = false;
    }
  };
  const other = (): void => {
    work.peek()?.end();
    work.value = undefined;
    problem.value = undefined;
  };
  const now = work.value;
  return (
    <>
      <WayBack href={here.value('leads')} to="Leads" />
      <ScreenHead title="Import a file">
        {now === undefined ? null : (
          <button type="button" class="button" disabled={now.busy.value !== null} onClick={other}>
            Another file
          </button>
        )}
      </ScreenHead>
      {may('leads:write') ? (
        <Steps
          work={now}
          busy={reading.value}
          problem={problem.value}
          onFile={(file) => void pick(file)}
          onMended={(next) => {
            work.value = next;
            void next.store();
          }}
        />
      ) : (
        <NoPermission text="You need the right “leads:write” to import people." />
      )}
    </>
  );
}

interface StepsProps {
  work: ImportWork | undefined;
  busy: boolean;
  problem: string | undefined;
  onFile: (file: File) => void;
  onMended: (next: ImportWork) => void;
}

function Steps({ work, busy, problem, onFile, onMended }: StepsProps) {
  if (!work)
    return (
      <div class="sections">
        <DropZone busy={busy} problem={problem} onFile={onFile} />
        <EarlierImports />
      </div>
    );
  const result = work.result.value;
  return result ? (
    <ImportReport key={result.importId} work={work} result={result} onMended={onMended} />
  ) : (
    <ImportForm work={work} />
  );
}
