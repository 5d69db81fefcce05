//! The screens of the shop.
use super::products::{PICTURE_BACKGROUND, PRODUCTS, Product};
use super::{CartLine, Event, Shop, Sort};
use crate::apps::widgets::{
    CARD, FieldView, ON_SURFACE_VARIANT, OUTLINE, PRIMARY, SEARCH, SURFACE, SURFACE_CONTAINER,
    app_bar, card, chip, divider, empty_state, filled_button, format_euros, icon_button,
    main_app_bar, page, row, search_pill, section_header, tonal_button,
};
use crate::apps::{Element, ViewContext, widgets};
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Drawable, Length, ON_SURFACE};

impl Shop {
    fn cart_button(&self) -> Element {
        let count: u32 = self.cart.iter().map(|line| line.quantity).sum();
        let name = match count {
            0 => "Cart".to_owned(),
            1 => "Cart, 1 item".to_owned(),
            _ => format!("Cart, {count} items"),
        };
        let button = icon_button(icons::SHOPPING_CART, &name, "cart", Event::Cart);
        if count == 0 {
            return button;
        }
        let badge = Element::text(count.to_string(), 11.0)
            .bold()
            .color(widgets::WHITE)
            .background(widgets::ERROR)
            .radius(9.0)
            .pad(5.5, 1.0);
        Element::stack(vec![
            button,
            Element::row(vec![badge])
                .main(Alignment::End)
                .width(Length::Dp(48.0))
                .edges([0.0, 3.0, 2.0, 0.0]),
        ])
    }

    fn search(&self, cx: &ViewContext<'_>) -> Element {
        let field = FieldView::new("search", "Search shoes, bags and more", &self.fields)
            .action(SEARCH, Event::Search);
        search_pill(cx, field)
    }

    pub(super) fn home(&self, cx: &ViewContext<'_>) -> Element {
        let banner = Element::row(vec![
            Element::column(vec![
                Element::text("Spring sale", 26.0).bold().color(widgets::WHITE),
                Element::text("Running shoes from \u{20ac}39", 16.0).color(widgets::WHITE),
            ])
            .fill_width()
            .gap(4.0),
            Element::drawable(
                Drawable::Shoe(crate::tree::element::ShoeShape::Runner, Color(0xFFFF_D166)),
                110.0,
                110.0,
                ON_SURFACE,
            ),
        ])
        .pad(22.0, 12.0)
        .background(Color(0xFF0F_8A5F))
        .radius(24.0)
        .id("banner")
        .click(Event::SearchFor("running shoes"));
        let ask = |title: &'static str| {
            Element::text(title, 15.0)
                .pad(16.0, 12.0)
                .background(SURFACE_CONTAINER)
                .radius(12.0)
                .center_text()
                .width(Length::Fill(1.0))
                .click(Event::SearchFor(title))
        };
        let kinds = Element::column(vec![
            Element::row(vec![ask("Running shoes"), ask("Sneakers")]).gap(10.0),
            Element::row(vec![ask("Boots"), ask("Sandals")]).gap(10.0),
        ])
        .gap(10.0);
        let popular: Vec<Element> = [0, 2, 5].iter().map(|i| product_card(*i)).collect();
        let mut list = vec![self.search(cx), banner, kinds, section_header("Popular now")];
        list.extend(popular);
        page(
            main_app_bar("Shop", vec![self.cart_button()]),
            Element::column(list)
                .gap(14.0)
                .edges([16.0, 4.0, 16.0, 24.0])
                .fill_parent()
                .scroll("shop home"),
        )
    }

    pub(super) fn results(&self, cx: &ViewContext<'_>) -> Element {
        let found = self.matching_products();
        let sort = |name, sort, id| chip(name, self.sort == sort, id, Event::Sort(sort));
        let chips = Element::row(vec![
            sort("Price: low to high", Sort::PriceAscending, "sort_price_asc"),
            chip("Under \u{20ac}50", self.under_50, "filter_under_50", Event::Under50),
            sort("Price: high to low", Sort::PriceDescending, "sort_price_desc"),
            sort("Top rated", Sort::Rating, "sort_rating"),
        ])
        .gap(8.0)
        .fill_width()
        .scroll("chips")
        .class("android.widget.HorizontalScrollView");
        let count = Element::text(
            match found.len() {
                1 => "1 result".to_owned(),
                n => format!("{n} results"),
            },
            14.0,
        )
        .color(ON_SURFACE_VARIANT)
        .id("result_count");
        let list = if found.is_empty() {
            empty_state(icons::SEARCH, "Nothing found. Try another word.")
        } else {
            Element::column(found.into_iter().map(product_card).collect()).gap(10.0)
        };
        page(
            app_bar("Results", vec![self.cart_button()]),
            Element::column(vec![
                Element::column(vec![self.search(cx), chips, count]).gap(10.0).pad(16.0, 4.0),
                Element::column(vec![list])
                    .edges([16.0, 6.0, 16.0, 24.0])
                    .fill_parent()
                    .scroll("results")
                    .id("results"),
            ])
            .fill_parent(),
        )
    }

    pub(super) fn product(&self, i: usize) -> Element {
        let Some(product) = PRODUCTS.get(i) else {
            return page(app_bar("", Vec::new()), Element::spacer());
        };
        let picture =
            Element::centered(Element::drawable(product.drawable(), 230.0, 230.0, ON_SURFACE))
                .height(Length::Dp(250.0))
                .fill_width()
                .background(PICTURE_BACKGROUND)
                .radius(24.0)
                .desc(product.name);
        let sizes = product.sizes.iter().map(|size| {
            chip(size, self.size == Some(size), "size", Event::Size(size)).pad(16.0, 10.0)
        });
        let mut list = vec![
            picture,
            Element::text(product.maker, 14.0).color(ON_SURFACE_VARIANT).id("maker"),
            Element::text(product.name, 24.0).id("product_name"),
            Element::row(vec![
                Element::text(format_euros(product.cents), 24.0).bold().id("price"),
                Element::spacer().height(Length::Dp(1.0)),
                stars(product),
            ]),
        ];
        if !product.sizes.is_empty() {
            list.push(Element::text("Size", 15.0).bold());
            list.push(
                Element::row(sizes.collect())
                    .gap(8.0)
                    .fill_width()
                    .scroll("sizes")
                    .class("android.widget.HorizontalScrollView"),
            );
        }
        if self.missing_size {
            list.push(Element::text("Choose a size", 14.0).color(widgets::ERROR).id("error"));
        }
        list.push(Element::text(product.words, 15.5).color(ON_SURFACE_VARIANT).id("description"));
        list.push(
            Element::text("Free delivery in 2\u{2013}4 days. 30 days to return.", 15.0)
                .color(ON_SURFACE_VARIANT),
        );
        let buy = Element::column(vec![filled_button("Add to cart", "add_to_cart", Event::Add)])
            .pad(16.0, 10.0)
            .background(CARD);
        page(
            app_bar("", vec![self.cart_button()]),
            Element::column(vec![
                Element::column(list).gap(10.0).pad(18.0, 4.0).fill_parent().scroll("product"),
                buy,
            ])
            .fill_parent(),
        )
    }

    pub(super) fn cart_screen(&self) -> Element {
        if self.cart.is_empty() {
            return page(
                app_bar("Cart", Vec::new()),
                Element::column(vec![empty_state(icons::SHOPPING_CART, "Your cart is empty")])
                    .fill_parent(),
            );
        }
        let lines = self.cart.iter().enumerate().map(|(i, line)| {
            Element::column(vec![
                Element::row(vec![
                    Element::column(vec![
                        Element::text(&line.name, 16.5).bold().id("line_name"),
                        Element::text(size_text(line), 14.0)
                            .color(ON_SURFACE_VARIANT)
                            .id("line_size"),
                    ])
                    .fill_width(),
                    Element::text(format_euros(line.price_cents * line.quantity), 16.5)
                        .id("line_price"),
                ]),
                Element::row(vec![
                    icon_button(icons::REMOVE, "One less", "less", Event::Less(i)),
                    Element::text(line.quantity.to_string(), 17.0).id("quantity"),
                    icon_button(icons::ADD, "One more", "more", Event::More(i)),
                ])
                .gap(6.0),
            ])
            .pad(18.0, 10.0)
        });
        page(
            app_bar("Cart", Vec::new()),
            Element::column(vec![
                Element::column(vec![card(lines.collect())])
                    .pad(16.0, 6.0)
                    .fill_parent()
                    .scroll("cart"),
                Element::column(vec![
                    total_row(self.total()),
                    filled_button("Go to checkout", "checkout", Event::Checkout),
                ])
                .gap(10.0)
                .pad(18.0, 12.0)
                .background(CARD),
            ])
            .fill_parent(),
        )
    }

    pub(super) fn checkout(&self) -> Element {
        let mut lines: Vec<Element> = self
            .cart
            .iter()
            .map(|line| {
                let name = format!("{} \u{d7} {}", line.quantity, line.name);
                Element::row(vec![
                    Element::text(name, 15.5).fill_width().id("line_name"),
                    Element::text(format_euros(line.price_cents * line.quantity), 15.5),
                ])
            })
            .collect();
        lines.push(Element::row(vec![
            Element::text("Delivery", 15.5).fill_width(),
            Element::text("Free", 15.5),
        ]));
        lines.push(divider());
        lines.push(total_row(self.total()));
        let list = vec![
            card(vec![
                row(Some((icons::LOCATION, PRIMARY)), "Deliver to", "Birch Lane 12, 1011 Example"),
                row(Some((icons::CREDIT_CARD, PRIMARY)), "Pay with", "Card ending in 4242"),
                row(Some((icons::SHIPPING, PRIMARY)), "Delivery", "Thu\u{2013}Sat, standard"),
            ]),
            card(vec![Element::column(lines).gap(10.0).pad(20.0, 16.0)]),
            Element::text("By placing the order you agree to pay the total above.", 13.5)
                .color(ON_SURFACE_VARIANT),
        ];
        page(
            app_bar("Checkout", Vec::new()),
            Element::column(vec![
                Element::column(list).gap(14.0).pad(16.0, 6.0).fill_parent().scroll("checkout"),
                Element::column(vec![filled_button(
                    "Place order",
                    "place_order",
                    Event::PlaceOrder,
                )])
                .pad(18.0, 12.0)
                .background(CARD),
            ])
            .fill_parent(),
        )
    }

    pub(super) fn done(&self) -> Element {
        let total = self.orders.last().map_or(0, |order| order.total_cents);
        let body = Element::column(vec![
            Element::icon(icons::CHECK, 72.0, Color(0xFF0F_8A5F)),
            Element::text("Order placed", 28.0).id("headline"),
            Element::text(format!("You paid {}.", format_euros(total)), 16.0)
                .color(ON_SURFACE_VARIANT)
                .id("paid"),
            Element::space(12.0),
            tonal_button("Continue shopping", "continue", Event::Continue),
        ])
        .cross(Alignment::Center)
        .main(Alignment::Center)
        .gap(12.0)
        .fill_parent()
        .background(SURFACE);
        page(Element::space(8.0), body)
    }
}

fn total_row(cents: u32) -> Element {
    Element::row(vec![
        Element::text("Total", 18.0).bold().fill_width(),
        Element::text(format_euros(cents), 18.0).bold().id("total"),
    ])
}

fn size_text(line: &CartLine) -> String {
    if line.size.is_empty() { String::new() } else { format!("Size {}", line.size) }
}

fn stars(product: &Product) -> Element {
    Element::row(vec![
        Element::icon(icons::STAR, 18.0, Color(0xFFE8_A100)),
        Element::text(
            format!("{}.{} ({})", product.rating / 10, product.rating % 10, product.reviews),
            14.0,
        )
        .color(ON_SURFACE_VARIANT)
        .id("rating"),
    ])
    .gap(4.0)
}

/// A product in a list.
fn product_card(i: usize) -> Element {
    let product = &PRODUCTS[i];
    let picture = Element::centered(Element::drawable(product.drawable(), 92.0, 92.0, ON_SURFACE))
        .size(108.0, 108.0)
        .background(PICTURE_BACKGROUND)
        .radius(14.0);
    Element::row(vec![
        picture,
        Element::column(vec![
            Element::text(product.name, 16.5).lines(2).id("product_name"),
            Element::text(product.maker, 14.0).color(ON_SURFACE_VARIANT).id("maker"),
            Element::text(format_euros(product.cents), 18.0).bold().id("price"),
            stars(product),
        ])
        .fill_width()
        .gap(2.0),
    ])
    .gap(14.0)
    .pad(8.0, 8.0)
    .background(CARD)
    .border(1.0, OUTLINE.with_alpha(0x80))
    .radius(18.0)
    .desc(product.name)
    .id("product")
    .click(Event::Open(i))
}
