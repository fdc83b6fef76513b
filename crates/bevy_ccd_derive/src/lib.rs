//! `#[derive(PhysicsLayer)]`, for the plugin `bevy_ccd`, which exports it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Result, Variant, parse_macro_input};

/// As many layers as there are bits.
const MOST: usize = 32;

/// Makes the variants of an enum collision layers: the variant that is `#[default]` the first, the others in their order.
#[proc_macro_derive(PhysicsLayer)]
pub fn derive_physics_layer(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    physics_layer(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn physics_layer(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "layers are the variants of an enum"));
    };
    let is_default = |variant: &Variant| variant.attrs.iter().any(|attribute| attribute.path().is_ident("default"));
    let (first, others): (Vec<_>, Vec<_>) = data.variants.iter().partition(|variant| is_default(variant));
    let ordered: Vec<&Variant> = first.into_iter().chain(others).collect();
    let mut arms = Vec::with_capacity(ordered.len());
    for (bit, variant) in ordered.into_iter().enumerate() {
        if !variant.fields.is_empty() {
            return Err(Error::new_spanned(variant, "a layer has no fields"));
        }
        if variant.discriminant.is_some() {
            return Err(Error::new_spanned(variant, "a layer has no number of its own: it is a bit by its place"));
        }
        if bit >= MOST {
            return Err(Error::new_spanned(variant, "there are 32 layers"));
        }
        let name = &variant.ident;
        arms.push(quote! { Self::#name => 1 << #bit });
    }
    if arms.is_empty() {
        return Err(Error::new_spanned(&input.ident, "there is no layer"));
    }
    let (name, (generics, arguments, conditions)) = (&input.ident, input.generics.split_for_impl());
    Ok(quote! {
        impl #generics ::bevy_ccd::PhysicsLayer for #name #arguments #conditions {
            fn to_bits(&self) -> u32 {
                match self {
                    #(#arms,)*
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    fn derived(input: &str) -> std::result::Result<String, String> {
        let input: DeriveInput = syn::parse_str(input).unwrap();
        physics_layer(&input).map(|tokens| tokens.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn variants_become_bits_the_default_one_the_first() {
        let code = derived("enum Layer { Ground, #[default] Player, Bullet }").unwrap();
        for arm in ["Self :: Player => 1 << 0", "Self :: Ground => 1 << 1", "Self :: Bullet => 1 << 2"] {
            assert!(code.contains(arm), "{code}");
        }
    }

    #[test]
    fn what_is_no_set_of_layers_is_refused() {
        let many: String = (0..33).map(|k| format!("L{k}, ")).collect();
        for (input, why) in [
            ("struct Layer;", "enum"),
            ("enum Layer { A(u32) }", "fields"),
            ("enum Layer { A = 4 }", "number"),
            ("enum Layer {}", "no layer"),
            (&format!("enum Layer {{ {many} }}"), "32"),
        ] {
            let refused = derived(input).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    }
}
