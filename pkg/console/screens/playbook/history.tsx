import { Chip } from '../../parts/chip.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import type { Playbook } from './playbook-types.ts';

/** Versions of the text, the newest first. */
export function History({ playbook, hrefOf }: { playbook: Playbook; hrefOf: (version: string) => string }) {
  const { history } = playbook;
  return (
    <Section title="History">
      {history.length === 0 ? <p class="soft">Nothing was written yet.</p> : null}
      <ol class="versions">
        {history.map(({ version, source, writer, createdBy, createdAt, length }) => (
          <li key={version} class="version">
            <p class="row">
              <a href={hrefOf(version)}>Version {version}</a>
              <Chip tone={source === 'manual' ? 'plain' : 'accent'}>
                {source === 'manual' ? 'by hand' : writer === 'template' ? 'by template' : 'by a model'}
              </Chip>
              {version === playbook.version ? <Chip tone="good">in force</Chip> : null}
            </p>
            <p class="soft small">
              <Time at={createdAt} />
              {createdBy === '' ? null : (
                <>
                  , <bdi>{createdBy}</bdi>
                </>
              )}
              , {length.toLocaleString()} characters
            </p>
          </li>
        ))}
      </ol>
    </Section>
  );
}
