//! Shop: search, product, cart and a checkout that really orders (in the phone's own state).
mod products;

use serde::Serialize;

use super::fields::Fields;
use super::widgets::{
    CARD, FieldView, ON_SURFACE_VARIANT, OUTLINE, PRIMARY, SEARCH, SURFACE, SURFACE_CONTAINER,
    app_bar, card, chip, divider, empty_state, filled_button, format_euros, icon_button,
    main_app_bar, page, row, search_pill, section_header, tonal_button,
};
use super::{App, AppContext, Element, ViewContext, widgets};
use crate::text::icons;
use crate::tree::element::{Alignment, Color, Drawable, Length, ON_SURFACE};
use products::{PICTURE_BACKGROUND, PRODUCTS, Product};

pub(crate) const PACKAGE: &str = "com.example.shop";
pub(crate) const ACTIVITY: &str = "com.example.shop.MainActivity";
const PRODUCT: &str = "com.example.shop.ProductActivity";
const CART: &str = "com.example.shop.CartActivity";
const CHECKOUT: &str = "com.example.shop.CheckoutActivity";
const DONE: &str = "com.example.shop.OrderPlacedActivity";

/// Lines in a cart, pieces of one thing, orders that are kept.
const MAX: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CartLine {
    pub name: String,
    pub size: String,
    pub quantity: u32,
    /// For one, in cents.
    pub price_cents: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Order {
    pub lines: Vec<CartLine>,
    pub total_cents: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Featured,
    PriceAscending,
    PriceDescending,
    Rating,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    Search,
    SearchFor(&'static str),
    Sort(Sort),
    Under50,
    Open(usize),
    Size(&'static str),
    Add,
    Cart,
    More(usize),
    Less(usize),
    Checkout,
    PlaceOrder,
    Continue,
}

impl From<Event> for super::Event {
    fn from(event: Event) -> Self {
        Self::Shop(event)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Screen {
    Home,
    Results,
    Product(usize),
    Cart,
    Checkout,
    Done,
}

#[derive(Debug)]
pub(crate) struct Shop {
    stack: Vec<Screen>,
    fields: Fields,
    sort: Sort,
    under_50: bool,
    size: Option<&'static str>,
    missing_size: bool,
    pub(crate) cart: Vec<CartLine>,
    pub(crate) orders: Vec<Order>,
}

impl Default for Shop {
    fn default() -> Self {
        Self {
            stack: vec![Screen::Home],
            fields: Fields::default(),
            sort: Sort::Featured,
            under_50: false,
            size: None,
            missing_size: false,
            cart: Vec::new(),
            orders: Vec::new(),
        }
    }
}

impl Shop {
    fn screen(&self) -> Screen {
        self.stack.last().copied().unwrap_or(Screen::Home)
    }

    fn show_screen(&mut self, screen: Screen, cx: &mut AppContext<'_>) {
        self.stack.push(screen);
        cx.unfocus();
        cx.forward();
    }

    fn total(&self) -> u32 {
        self.cart.iter().map(|line| line.price_cents.saturating_mul(line.quantity)).sum()
    }

    pub(crate) fn handle(&mut self, event: Event, cx: &mut AppContext<'_>) {
        match event {
            Event::SearchFor(what) => {
                self.fields.set("search", what);
                self.handle(Event::Search, cx);
            }
            Event::Search => {
                if self.fields.text("search").trim().is_empty() {
                    return;
                }
                self.sort = Sort::Featured;
                self.under_50 = false;
                if self.screen() == Screen::Results {
                    cx.unfocus();
                } else {
                    self.show_screen(Screen::Results, cx);
                }
            }
            Event::Sort(sort) => {
                self.sort = if self.sort == sort { Sort::Featured } else { sort };
            }
            Event::Under50 => self.under_50 = !self.under_50,
            Event::Open(i) => {
                self.size = None;
                self.missing_size = false;
                self.show_screen(Screen::Product(i), cx);
            }
            Event::Size(size) => {
                self.size = Some(size);
                self.missing_size = false;
            }
            Event::Add => {
                let Screen::Product(i) = self.screen() else { return };
                let Some(product) = PRODUCTS.get(i) else { return };
                if self.size.is_none() && !product.sizes.is_empty() {
                    self.missing_size = true;
                    cx.toast("Choose a size first");
                    return;
                }
                self.add_to_cart(product);
                cx.toast("Added to cart");
            }
            Event::Cart => self.show_screen(Screen::Cart, cx),
            Event::More(i) => {
                if let Some(line) = self.cart.get_mut(i) {
                    line.quantity = (line.quantity + 1).min(99);
                }
            }
            Event::Less(i) => {
                if let Some(line) = self.cart.get_mut(i) {
                    line.quantity -= 1;
                    if line.quantity == 0 {
                        self.cart.remove(i);
                    }
                }
            }
            Event::Checkout => {
                if !self.cart.is_empty() {
                    self.show_screen(Screen::Checkout, cx);
                }
            }
            Event::PlaceOrder => {
                let total_cents = self.total();
                self.orders.push(Order { lines: std::mem::take(&mut self.cart), total_cents });
                if self.orders.len() > MAX {
                    self.orders.remove(0);
                }
                self.stack = vec![Screen::Home];
                self.show_screen(Screen::Done, cx);
            }
            Event::Continue => {
                self.stack = vec![Screen::Home];
                self.fields.clear();
                cx.back();
            }
        }
    }

    fn add_to_cart(&mut self, product: &Product) {
        let size = self.size.unwrap_or("").to_owned();
        let same = |line: &&mut CartLine| line.name == product.name && line.size == size;
        if let Some(line) = self.cart.iter_mut().find(same) {
            line.quantity = (line.quantity + 1).min(99);
        } else if self.cart.len() < MAX {
            self.cart.push(CartLine {
                name: product.name.to_owned(),
                size,
                quantity: 1,
                price_cents: product.cents,
            });
        }
    }

    fn cart_button(&self) -> Element {
        let count: u32 = self.cart.iter().map(|line| line.quantity).sum();
        let button = icon_button(
            icons::SHOPPING_CART,
            &if count == 0 { "Cart".to_owned() } else { format!("Cart, {count} items") },
            "cart",
            Event::Cart,
        );
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

    /// Indices of what fits every word asked for, in the order asked for.
    fn matching_products(&self) -> Vec<usize> {
        let wanted = self.fields.text("search").to_lowercase();
        let fits = |p: &Product| {
            let text = format!("{} {} {}", p.name, p.maker, p.words).to_lowercase();
            wanted
                .split_whitespace()
                .all(|w| text.contains(w.strip_suffix('s').filter(|w| w.len() > 2).unwrap_or(w)))
        };
        let mut found: Vec<usize> = PRODUCTS
            .iter()
            .enumerate()
            .filter(|(_, p)| fits(p) && (!self.under_50 || p.cents < 5_000))
            .map(|(i, _)| i)
            .collect();
        match self.sort {
            Sort::Featured => {}
            Sort::PriceAscending => found.sort_by_key(|i| PRODUCTS[*i].cents),
            Sort::PriceDescending => found.sort_by_key(|i| std::cmp::Reverse(PRODUCTS[*i].cents)),
            Sort::Rating => found.sort_by_key(|i| std::cmp::Reverse(PRODUCTS[*i].rating)),
        }
        found
    }

    fn home(&self, cx: &ViewContext<'_>) -> Element {
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
                .centered()
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

    fn results(&self, cx: &ViewContext<'_>) -> Element {
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

    fn product(&self, i: usize) -> Element {
        let Some(product) = PRODUCTS.get(i) else {
            return page(app_bar("", Vec::new()), Element::spacer());
        };
        let picture =
            Element::stack(vec![Element::drawable(product.drawable(), 230.0, 230.0, ON_SURFACE)])
                .main(Alignment::Center)
                .cross(Alignment::Center)
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

    fn cart_screen(&self) -> Element {
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

    fn checkout(&self) -> Element {
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

    fn done(&self) -> Element {
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
    let picture =
        Element::stack(vec![Element::drawable(product.drawable(), 92.0, 92.0, ON_SURFACE)])
            .main(Alignment::Center)
            .cross(Alignment::Center)
            .width(Length::Dp(108.0))
            .height(Length::Dp(108.0))
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

impl App for Shop {
    fn activity(&self) -> &'static str {
        match self.screen() {
            Screen::Home | Screen::Results => ACTIVITY,
            Screen::Product(_) => PRODUCT,
            Screen::Cart => CART,
            Screen::Checkout => CHECKOUT,
            Screen::Done => DONE,
        }
    }

    fn view(&self, cx: &ViewContext<'_>) -> Element {
        match self.screen() {
            Screen::Home => self.home(cx),
            Screen::Results => self.results(cx),
            Screen::Product(i) => self.product(i),
            Screen::Cart => self.cart_screen(),
            Screen::Checkout => self.checkout(),
            Screen::Done => self.done(),
        }
    }

    fn back(&mut self, _cx: &mut AppContext<'_>) -> bool {
        if self.stack.len() > 1 {
            self.stack.pop();
            true
        } else {
            false
        }
    }

    fn fields(&mut self) -> &mut Fields {
        &mut self.fields
    }

    fn reset(&mut self) {
        self.stack = vec![Screen::Home];
        self.fields.clear();
        self.size = None;
    }

    fn open(&mut self, class: &str) -> bool {
        if class == CART && self.screen() != Screen::Cart {
            self.stack.push(Screen::Cart);
        }
        class == ACTIVITY || class == CART
    }
}
