import type { ScreenProps } from '../../app/screen-props.ts';

export default function InboxScreen({ rest }: ScreenProps) {
  return <p>{rest}</p>;
}
