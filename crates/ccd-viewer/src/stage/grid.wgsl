// The ground: ruled lines of constant width on the screen, every tenth stronger, that fade into the background.
#import bevy_pbr::{
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
    forward_io::{VertexOutput, FragmentOutput},
}

struct Ruling {
    space: vec4<f32>,
    line: vec4<f32>,
    // where the middle of the ground lies between two of the stronger lines
    middle: vec4<f32>,
    // spacing, where the fade starts, where it ends, from the middle to the edge
    lengths: vec4<f32>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> ruling: Ruling;

fn lines(place: vec2<f32>, spacing: f32, width: f32) -> f32 {
    let cell = place / spacing;
    let per_pixel = max(fwidth(cell), vec2<f32>(1e-6));
    let distance = abs(fract(cell - 0.5) - 0.5) / per_pixel;
    let cover = 1.0 - smoothstep(vec2<f32>(width * 0.5), vec2<f32>(width * 0.5 + 1.0), distance);
    // Lines closer than a few pixels would shimmer: they give way to their average.
    let crowd = 1.0 - smoothstep(0.08, 0.35, max(per_pixel.x, per_pixel.y));
    return max(cover.x, cover.y) * crowd;
}

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
    var pbr = pbr_input_from_standard_material(in, is_front);
    // From the middle of the ground, for far from the origin the numbers of places are coarser than the lines.
    let from_middle = (2.0 * in.uv - 1.0) * ruling.lengths.w;
    let place = from_middle + ruling.middle.xz;
    let fine = lines(place, ruling.lengths.x, 1.0);
    let coarse = lines(place, ruling.lengths.x * 10.0, 1.6);
    let strength = max(fine * 0.10, coarse * 0.26);
    pbr.material.base_color = mix(pbr.material.base_color, ruling.line, strength);
    var out: FragmentOutput;
    out.color = apply_pbr_lighting(pbr);
    out.color = main_pass_post_lighting_processing(pbr, out.color);
    let away = length(from_middle);
    let fade = smoothstep(ruling.lengths.y, ruling.lengths.z, away);
    out.color = mix(out.color, vec4<f32>(ruling.space.rgb, 1.0), fade);
    return out;
}
