import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Icon } from '../../../parts/icon.tsx';

/** Takes a file: dropped on it, or chosen by its button. */
export function DropZone({
  busy,
  problem,
  onFile,
}: {
  busy: boolean;
  problem: string | undefined;
  onFile: (file: File) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const over = useSignal(false);
  const take = (files: FileList | null | undefined): void => {
    const [file] = files ?? [];
    if (file && !busy) onFile(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: who has no mouse chooses the file by the button in it
    <div
      class={over.value ? 'drop drop-over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        over.value = true;
      }}
      onDragLeave={() => {
        over.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        over.value = false;
        take(event.dataTransfer?.files);
      }}
    >
      <Icon name="upload" size={32} />
      <p class="drop-title">Drop a CSV file here</p>
      <p>
        <button type="button" class="button button-primary" disabled={busy} onClick={() => input.current?.click()}>
          {busy ? 'Reading the file …' : 'Choose a file'}
        </button>
        <input
          ref={input}
          class="unseen"
          type="file"
          tabIndex={-1}
          aria-label="CSV file"
          accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
          onChange={(event) => {
            take(event.currentTarget.files);
            // The same file may be chosen again, once it was mended.
            event.currentTarget.value = '';
          }}
        />
      </p>
      <p class="hint">
        Up to 50 MB and 100,000 rows, as your CRM, LinkedIn or a spreadsheet saves it. Nothing is stored before you have
        seen where each column goes.
      </p>
      <div role="alert">
        {problem === undefined ? null : (
          <p class="failure">
            <Icon name="warning" size={16} /> <span>{problem}</span>
          </p>
        )}
      </div>
    </div>
  );
}
