import { Download, Eye } from "lucide-react";
import { type ComponentProps, useMemo, useState } from "react";
import { save } from "../../lib/save.js";
import { Button } from "../../ui/Button.js";
import { Cut } from "../../ui/Cut.js";
import { blobOf, fileName } from "../bundle/bytes.js";
import { HTMLFrame } from "../html/HTMLFrame.js";
import { addressOf, ImageView } from "./ImageView.js";
import { isPaintable } from "./paintable.js";
import { weightOf } from "./svgWeight.js";

interface Props extends Omit<ComponentProps<typeof ImageView>, "src" | "own"> {
  /** The id of the output: the height of its frame is remembered. */
  readonly id: string;
  readonly svg: string;
  readonly title: string;
}

/**
 * A vector drawing. The page itself paints one of known cost; one with effects, patterns or motion is painted in a frame, which
 * has its own process; one with too many shapes is painted on demand.
 */
export function VectorView({ id, svg, title, ...props }: Props) {
  const { shapes, isHard } = useMemo(() => weightOf(svg), [svg]);
  const [asked, setAsked] = useState(false);
  const address = useMemo(() => addressOf(props.type, svg), [props.type, svg]);
  if (!isHard && isPaintable(shapes)) return <ImageView {...props} src={address} own={undefined} />;
  if (isPaintable(shapes) || asked) return <HTMLFrame id={id} look="html" source={framed(address, props.alt, props.size !== "full")} title={title} />;
  return (
    <Cut why={`This picture (${props.type}) draws ${count(shapes)}, more than the page can paint.`}>
      <Button icon={<Eye aria-hidden />} onClick={() => setAsked(true)}>
        Show anyway
      </Button>
      <Button icon={<Download aria-hidden />} onClick={() => save(blobOf(props.type, svg), fileName(props.type))}>
        Download
      </Button>
    </Cut>
  );
}

function count(shapes: number): string {
  return shapes < 1e9 ? `${shapes.toLocaleString()} shapes` : "shapes without number";
}

/** Returns a page of HTML with a picture, on a white background. */
function framed(address: string, alt: string, fits: boolean): string {
  const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<img src="${escaped(address)}" alt="${escaped(alt)}" style="display: block; background: #fff${fits ? "; max-width: 100%" : "; max-width: none"}">`;
}
