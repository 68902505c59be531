import { expect } from 'chai';
import { imageValues } from '../../cluster/images.ts';

describe('the image of a cluster that pulls it (E2E_IMAGE)', () => {
  it('is named by tag, also behind a registry with a port', async () => {
    expect(await imageValues('registry.example.com:5000/team/outrider:1.2.3-rc.1')).to.equal(
      'image.repository=registry.example.com:5000/team/outrider,image.tag=1.2.3-rc.1',
    );
  });

  it('is named by digest', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    expect(await imageValues(`registry.example.com/outrider@${digest}`)).to.equal(
      `image.repository=registry.example.com/outrider,image.digest=${digest}`,
    );
  });

  it('without either is refused with what to write', async () => {
    const refused = await imageValues('registry.example.com:5000/outrider').then(String, String);
    expect(refused).to.include('name the image with its tag or digest');
  });
});
