import type { ScreenProps } from '../../app/screen-props.ts';

export default function ReviewScreen({ rest }: ScreenProps) {
  return <p>{rest}</p>;
}
